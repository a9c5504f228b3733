/* The bounds of a contacts file. A larger file is refused, a larger row is invalid. */

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
/** The kept part of an overlong record. */
export const LONG_RECORD_KEPT_CHARACTERS = 1_000;
/** With more misplaced quotation marks the file is no CSV, and each one costs a restart of the parser. */
export const BAD_QUOTES_MAX = 10_000;
/** The part of the file that is searched for the header. */
export const HEAD_BYTES = 2 * RECORD_MAX_BYTES;
/** Bytes read at once. This much text is still young garbage; four times as much doubled the peak memory. */
export const READ_BYTES = 64 * 1024;
/** Bytes parsed at once: so few that their rows leave before a garbage collection would copy them. */
export const PARSE_BYTES = 16 * 1024;
/** The most rows handed over at once, equal to the ledger's rows per transaction. */
export const CHUNK_ROWS_MAX = 5_000;
