import type { AnswerGroup, AnswerMeaning, AnswerQuestion } from '../domain/answer-meaning.ts';
import type { MoneyMicro } from '../domain/money.ts';

/**
 * The provider's client as the engine sees it. Every answer is a value: nothing that the provider does makes
 * these functions throw. API document: sections 2.1 to 2.4, 4.1, 4.2.
 */
export interface Provider {
  /**
   * Sends one SMS (4.1). Resolves within the deadline, counted from the call. The caller keeps at most
   * `concurrency` calls open, because a request must never wait in the HTTP client's own queue. One more
   * rejects as an internal error.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Reads the credit (4.2). */
  balance(): Promise<BalanceResult>;
  /** Sets the meanings of unknown answers, for later answers. They replace all earlier meanings. */
  mapAnswers(mapped: readonly (AnswerGroup & { meaning: AnswerMeaning })[]): void;
  close(): Promise<void>;
}

/** Document 2.1 without the client's credentials. `mobile` is international digits without a plus. */
export interface SendRequest {
  mobile: string;
  message: string;
  shortcode: string;
  /** Called once, before the request reaches a connection. No byte leaves earlier. */
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
 * The evidence of an answer. `raw` is at most 2 kB, without credentials, text, full numbers or control
 * characters. It is null when nothing came, and for an acceptance without flags, whose fields say everything.
 */
export interface WireEvidence {
  httpStatus: number | null;
  /** The provider's exact response code as text. */
  code: string | null;
  /** The provider's words, or the error's code and message. */
  words: string;
  raw: string | null;
  /** The question about an answer that the profile does not know, also when a person's mapping decides it. */
  question?: AnswerQuestion;
}

/** The result of a send (API document 2.2). Money in millionths; `unknown` may have been sent. */
export type SendResult =
  /** P5. `costMicro` null: the cost could not be read. Flags: `no_mobile_echoed`, `cost_unreadable`, `cost_two_ways`. */
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
  /** P1, P2 before the write: the request never left. `fatal`: Tuma's own mistake or a wrong certificate. */
  | ({ outcome: 'not_sent'; fatal: boolean } & WireEvidence)
  /**
   * P2 after the write, P3, P4, P6b, P7, P11, P14: the fate is unknown. `kind` decides the effect on the
   * breaker. `mapped_accepted` comes from a person's mapping, and the ledger makes it sent.
   */
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
