import type { MoneyMicro } from '../../domain/money.ts';

/**
 * The v2 API of the messaging service (API document 4.3, 4.4, 5.2, 5.3). Whatever the service answers is a value; only what
 * a person must act on here is thrown: an id that is none (`usage`) and a file that cannot be written (`file_unwritable`).
 */
export interface AccountApi {
  /** Reads the account's credits (4.3). The document does not show the body, so it is kept as it came. */
  credits(): Promise<CreditsResult>;
  /** Downloads the file of a received chat message (4.4) into a file or folder. */
  downloadMedia(request: MediaRequest): Promise<MediaResult>;
  close(): Promise<void>;
}

/** Section 5.3: the credentials are wrong, deactivated, expired or deleted. `words` are the service's. */
export interface Unauthorised {
  outcome: 'unauthorised';
  words: string;
}

/** No answer (`httpStatus` null), or one that cannot be what was asked for. */
export interface UnknownAnswer {
  outcome: 'unknown';
  httpStatus: number | null;
  words: string;
}

/** The account's credits as the v2 API tells them (API document 4.3). Money in millionths. */
export type CreditsResult =
  | {
      outcome: 'credits';
      /** Null: nothing in the answer is plainly the amount. It is neither zero nor a guess. */
      amountMicro: MoneyMicro | null;
      /** The body in one line, at most 2 kB, without credentials and control characters. Numbers are not masked. */
      raw: string;
    }
  | Unauthorised
  | UnknownAnswer;

/** What to download, and where to. */
export interface MediaRequest {
  /** The record's own id (API document 2.6), a UUID. Never a `media_url`. */
  id: string;
  /** A folder, in which the file is named by the id and its declared type; or the file's own path. */
  out: string;
  /** Bytes; 25 MB by default. */
  maxBytes?: number;
  /** Milliseconds for all of it; 60,000 by default. */
  deadlineMs?: number;
  /** Gives up; nothing is left behind. */
  signal?: AbortSignal;
}

/** What became of a download (API document 4.4). */
export type MediaResult =
  | { outcome: 'saved'; file: string; bytes: number; mimeType: string }
  /** The service has no file for this id. */
  | { outcome: 'missing'; words: string }
  | { outcome: 'too_large'; maxBytes: number }
  | Unauthorised
  | UnknownAnswer;
