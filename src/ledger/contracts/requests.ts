/*
 * Orders of programs that carry a key (`Idempotency-Key`), so that a repeat does nothing twice: a part of the write
 * contract. Launches have theirs with their preparation. Times in milliseconds.
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
  /** Keys that were begun before are forgotten. */
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
  /** The server ended before the answer, so nobody knows how far it came. */
  | { begun: 'left' };

/** Each is one transaction. */
export interface RequestLedger {
  beginRequest(request: NewRequest): Promise<BegunRequest>;
  /** Keeps the answer: JSON without texts and full numbers. */
  answerRequest(request: RequestKey & { status: number; answer: string }): Promise<void>;
  /** It failed, and nobody knows how far it came. */
  leaveRequest(request: RequestKey): Promise<void>;
  /** Nothing was done, so that the same key may be tried again. */
  forgetRequest(request: RequestKey): Promise<void>;
}
