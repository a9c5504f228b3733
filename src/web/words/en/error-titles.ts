import type { ErrorCode } from '../../../domain/errors.ts';

/** What each error means. Null: the error is in the language of the page already. */
export const errorTitles: Readonly<Record<ErrorCode, string>> | null = null;
