/* The bounds of a contacts file. A file that passes one is refused, a row that passes one is invalid. */

/** Largest file, in bytes. */
export const FILE_MAX_BYTES = 512 * 1024 * 1024;
/** Most rows of a file. */
export const ROWS_MAX = 5_000_000;
/** Most columns of a header. */
export const COLUMNS_MAX = 64;
/** Longest record, in bytes; a longer one is an invalid row. */
export const RECORD_MAX_BYTES = 64 * 1024;
/** Longest cell, in UTF-16 units; a longer one makes its row invalid. */
export const CELL_MAX_CHARACTERS = 4 * 1024;
/** What is kept of a record that is too long to be kept whole. */
export const LONG_RECORD_KEPT_CHARACTERS = 1_000;
/** More misplaced quotation marks than this: the file is no CSV, and each one costs a restart of the parser. */
export const BAD_QUOTES_MAX = 10_000;
/** The header is looked for in this much of the file. */
export const HEAD_BYTES = 2 * RECORD_MAX_BYTES;
/** Bytes read at once: text of this size is still young garbage, four times as much made the peak memory double. */
export const READ_BYTES = 64 * 1024;
/** Bytes taken apart at once: rows of so little are handed on before they are old, which a collection would copy. */
export const PARSE_BYTES = 16 * 1024;
/** The most rows handed over at once: what the ledger adds in one transaction. */
export const CHUNK_ROWS_MAX = 5_000;
