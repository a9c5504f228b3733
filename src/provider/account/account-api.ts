import type { MoneyMicro } from '../../domain/money.ts';

/**
 * The provider's v2 API (API document 4.3, 4.4, 5.2, 5.3). Every answer is a value. Only an invalid id
 * (`usage`) and what `keep` throws are thrown.
 */
export interface AccountApi {
  /** Reads the account's credits (4.3). The document does not show the body, so it is kept unchanged. */
  credits(): Promise<CreditsResult>;
  /** Downloads the file of a received chat message (4.4). */
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

/** What a webhook said of a file (API document 2.6). A stranger may have chosen both words; empty: none. */
export interface ToldMedia {
  mimeType: string;
  fileName: string;
}

/** A file on its way. */
export interface MediaFile {
  /** The record's id and an ending of a short list. */
  name: string;
  /** Throws when the file does not come whole. */
  bytes: AsyncIterable<Uint8Array>;
}

/** The file to download. */
export interface MediaRequest {
  /** The record's own id (API document 2.6), a UUID. Never a `media_url`. */
  id: string;
  /** Null: no webhook told of it. */
  told: ToldMedia | null;
  maxBytes: number;
  /** Stores all bytes, or nothing when they throw. Answers where the file is. */
  keep: (file: MediaFile) => Promise<string>;
  /** The time limit in milliseconds; left out: enough for `maxBytes` over a slow line. */
  deadlineMs?: number;
  /** Aborts the download. */
  signal?: AbortSignal;
}

/** The result of a download (API document 4.4). */
export type MediaResult =
  | { outcome: 'saved'; file: string; bytes: number; mimeType: string }
  /** The provider has no file for this id. */
  | { outcome: 'missing'; words: string }
  | { outcome: 'too_large'; maxBytes: number }
  /** A good status without a whole file: nothing, a part, or the service's words in JSON. */
  | { outcome: 'no_file'; why: 'empty' | 'cut' | 'json'; words: string }
  | Unauthorised
  | UnknownAnswer;
