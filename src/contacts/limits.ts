/* The bounds of a contacts file. A file that passes one is refused, a row that passes one is invalid. */

export const FILE_MAX_BYTES = 512 * 1024 * 1024;
export const ROWS_MAX = 5_000_000;
export const COLUMNS_MAX = 64;
export const RECORD_MAX_BYTES = 64 * 1024;
export const CELL_MAX_CHARACTERS = 4 * 1024;
/** What is kept of a record that is too long to be kept whole. */
export const LONG_RECORD_KEPT_CHARACTERS = 1_000;
/** More misplaced quotation marks than this: the file is no CSV, and each one costs a restart of the parser. */
export const BAD_QUOTES_MAX = 10_000;
/** The header is looked for in this much of the file. */
export const HEAD_BYTES = 2 * RECORD_MAX_BYTES;
/** Bytes read at once: text of this size is still young garbage, four times as much made the peak memory double. */
export const READ_BYTES = 64 * 1024;
/** The most rows handed over at once: what the ledger adds in one transaction. */
export const CHUNK_ROWS_MAX = 5_000;
