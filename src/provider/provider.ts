import type { AnswerGroup, AnswerMeaning } from '../domain/answer-meaning.ts';
import type { MoneyMicro } from '../domain/money.ts';

/**
 * What the engine needs of the messaging service. Every answer is a value: nothing that the provider says or does makes
 * these functions throw. API document: sections 2.1 to 2.4, 4.1, 4.2.
 */
export interface Provider {
  /**
   * Sends one SMS (4.1). Resolves within the deadline, counted from the call. The caller holds at most `concurrency`
   * calls open, for a request must never wait in the HTTP client's own queue; one more rejects as an internal error.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Reads the credit (4.2). */
  balance(): Promise<BalanceResult>;
  /** Reads later answers by what a person said that unknown ones mean. Replaces what was said before. */
  mapAnswers(mapped: readonly (AnswerGroup & { meaning: AnswerMeaning })[]): void;
  close(): Promise<void>;
}

/** Document 2.1 without the credentials, which the client adds. `mobile` is international digits without a plus. */
export interface SendRequest {
  mobile: string;
  message: string;
  shortcode: string;
  /** Called once, before the request is handed to a connection, which no byte of it reaches earlier. */
  beforeWrite?: () => void;
}

/** Whose fault a refusal is, from the provider's profile. */
export type RefusalClass =
  | 'contact' // this number can never be sent to
  | 'network' // this network is not allowed
  | 'opted_out'
  | 'credentials'
  | 'credit'
  | 'sender'
  | 'request'; // our own mistake: a missing or malformed field

/**
 * What was seen on the wire, kept as evidence. `raw` is at most 2 kB, without credentials, text, full numbers or control
 * characters; null when nothing came, and in an acceptance without flags, whose fields say it all.
 */
export interface WireEvidence {
  httpStatus: number | null;
  /** The provider's response code as text, exactly as it came. */
  code: string | null;
  /** The provider's words, or the error's code and message. */
  words: string;
  raw: string | null;
  /** The words without numbers of an answer that the profile does not know. Left out: it does, or there was none. */
  question?: string;
}

/** What a send came to (API document 2.2). Money in millionths; `unknown` may have been sent. */
export type SendResult =
  /** P5. `costMicro` null: the cost could not be read. Flags: `no_mobile_echoed`, `cost_unreadable`. */
  | ({
      outcome: 'accepted';
      messageId: string;
      network: string | null;
      costMicro: MoneyMicro | null;
      flags: string[];
    } & WireEvidence)
  /** P6, P8, P9, P12: refused before any work was done; surely not sent. */
  | ({ outcome: 'refused'; refusal: RefusalClass; retryHelps: boolean } & WireEvidence)
  /** P10: refused by rate; surely not sent. */
  | ({ outcome: 'throttled'; retryAfterMs: number | null } & WireEvidence)
  /** P1, P2 before the write: the request never reached the wire. `fatal`: a mistake of ours or a wrong certificate. */
  | ({ outcome: 'not_sent'; fatal: boolean } & WireEvidence)
  /** P2 after the write, P3, P4, P6b, P7, P11, P14: nobody knows. `kind` decides what the breaker makes of it; a person mapped
   * `mapped_accepted`, and the ledger makes it sent. */
  | ({
      outcome: 'unknown';
      kind: 'deadline' | 'lost' | 'server_error' | 'unreadable' | 'unlisted_code' | 'mapped_accepted';
    } & WireEvidence);

/** The credit (API document 2.4), in millionths. */
export type BalanceResult =
  | { outcome: 'balance'; creditMicro: MoneyMicro; clientId: string }
  | ({ outcome: 'refused'; refusal: RefusalClass } & WireEvidence)
  /** Not a number, not reachable, not understood: neither zero nor infinite. */
  | ({ outcome: 'unknown' } & WireEvidence);
