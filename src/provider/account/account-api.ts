import type { MoneyMicro } from '../../domain/money.ts';

/**
 * The provider's v2 API (API document 4.3, 4.4, 5.2, 5.3). Every answer is a value. Only problems that a
 * person must solve here are thrown: an invalid id (`usage`) and an unwritable file (`file_unwritable`).
 */
export interface AccountApi {
  /** Reads the account's credits (4.3). The document does not show the body, so it is kept unchanged. */
  credits(): Promise<CreditsResult>;
  /** Downloads the file of a received chat message (4.4) into a file or folder. */
  downloadMedia(request: MediaRequest): Promise<MediaResult>;
  close(): Promise<void>;
}

/** Section 5.3: the credentials are wrong, deactivated, expired or deleted. `words` are the provider's. */
export interface Unauthorised {
  outcome: 'unauthorised';
  words: string;
}

/** No answer (`httpStatus` null), or an answer that does not fit the request. */
export interface UnknownAnswer {
  outcome: 'unknown';
  httpStatus: number | null;
  words: string;
}

/** The account's credits by the v2 API (API document 4.3). Money in millionths. */
export type CreditsResult =
  | {
      outcome: 'credits';
      /** Null: no value in the answer is plainly the amount. It is neither zero nor a guess. */
      amountMicro: MoneyMicro | null;
      /** The body in one line, at most 2 kB, without credentials and controls; phone numbers stay visible. */
      raw: string;
    }
  | Unauthorised
  | UnknownAnswer;

/** The file to download, and its target. */
export interface MediaRequest {
  /** The record's own id (API document 2.6), a UUID. Never a `media_url`. */
  id: string;
  /** A folder, where the file is named by the id and its declared type; or the file's own path. */
  out: string;
  /** Bytes; 25 MB by default. */
  maxBytes?: number;
  /** The time limit in milliseconds; 60,000 by default. */
  deadlineMs?: number;
  /** Aborts the download and leaves no file behind. */
  signal?: AbortSignal;
}

/** The result of a download (API document 4.4). */
export type MediaResult =
  | { outcome: 'saved'; file: string; bytes: number; mimeType: string }
  /** The provider has no file for this id. */
  | { outcome: 'missing'; words: string }
  | { outcome: 'too_large'; maxBytes: number }
  | Unauthorised
  | UnknownAnswer;
