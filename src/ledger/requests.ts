/*
 * Requests of programs that carry a key (`Idempotency-Key`), so that a repeat does nothing twice: a part of the write
 * contract. Times in milliseconds.
 */

/** A key is of one principal only. */
export interface RequestKey {
  /** Who asked, as the audit names them. */
  principal: string;
  key: string;
}

/** A request before anything of it is done. */
export interface NewRequest extends RequestKey {
  /** SHA-256 of method, address and body. */
  digest: string;
  /** The run of the server that handles it. */
  process: string;
  now: number;
  /** Keys that were begun before are forgotten, but for those of launches. */
  forgetBefore: number;
}

/** What is known of the key. */
export type BegunRequest =
  /** Nothing: the caller may begin. */
  | { begun: 'now' }
  /** It was used for another request. */
  | { begun: 'other' }
  /** It is under way. */
  | { begun: 'running' }
  | { begun: 'answered'; status: number; answer: string }
  /**
   * Nobody handles it and nobody answered it: the server ended meanwhile, or its planning goes on. It is the caller's
   * now. `preparation`: what it is about; null: nobody knows how far it came.
   */
  | { begun: 'left'; preparation: string | null };

/** Each is one transaction. */
export interface RequestLedger {
  beginRequest(request: NewRequest): Promise<BegunRequest>;
  /** Says which preparation a request launches, before it is planned. */
  bindRequest(request: RequestKey & { preparation: string }): Promise<void>;
  /** Keeps the answer (JSON). `campaign`: its id, of a launch, whose key is kept as long as the campaign; else null. */
  answerRequest(
    request: RequestKey & { status: number; answer: string; campaign: string | null },
  ): Promise<void>;
  /** Nobody handles it any more; a repeat goes on where it ended. */
  leaveRequest(request: RequestKey): Promise<void>;
  /** Nothing was done, so that the same key may be tried again. */
  forgetRequest(request: RequestKey): Promise<void>;
}
