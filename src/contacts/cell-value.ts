/* What a cell means: its letters in one form, and an error of the spreadsheet is nothing. */

/** Texts without these need no look at each cell: marks of letters, signs, and the beginnings of errors. */
const NEEDS_A_LOOK = /[\u0300-\uffff#]|Err:\d/i;
/** Errors of Excel and Google Sheets behind their #, also in French. */
const WITH_MARK =
  'REF VALUE VALEUR DIV/0 NUM NOMBRE NULL NUL SPILL CALC FIELD BLOCKED CONNECT BUSY UNKNOWN EXTERNAL PYTHON TIMEOUT ERROR';
/** Also those of Spain, Germany and LibreOffice. A column that is too narrow shows #####. */
const ERROR_VALUE = new RegExp(
  String.raw`^(?:#{2,}|#N/[AD](?: N/A)?|#NV|#(?:NAME|NOM)\?|#GETTING_DATA|Err:\d{3}|#[¡¿][\p{L}/0]+[!?]` +
    `|#(?:${WITH_MARK.replaceAll(' ', '|')})!)$`,
  'iu',
);

/** Whether a cell of this line may need `cellValue`, which most do not. */
export function needsCellValue(line: string): boolean {
  return NEEDS_A_LOOK.test(line);
}

/**
 * The value of a cell. Letters that a Mac writes as a letter and an accent are one letter (NFC), because two count
 * and look like two. An error of the spreadsheet, such as #N/A, is blank.
 */
export function cellValue(cell: string): string {
  return ERROR_VALUE.test(cell.trim()) ? '' : cell.normalize('NFC');
}
