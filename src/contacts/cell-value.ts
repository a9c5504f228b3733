/* What a cell means: its letters in one form, and an error of the spreadsheet is nothing. */

/** Texts without these need no look at each cell: marks of letters, signs, and the beginnings of errors. */
const NEEDS_A_LOOK = /[\u0300-\uffff#]|Err:\d/i;
/** Errors of Excel, LibreOffice and Google Sheets, also in French. A column that is too narrow shows #####. */
const ERROR_VALUE =
  /^(?:#{2,}|#N\/A(?: N\/A)?|#(?:REF|VALUE|VALEUR|DIV\/0|NUM|NOMBRE|NULL|NUL|SPILL|CALC|FIELD|BLOCKED|CONNECT|BUSY|UNKNOWN|EXTERNAL|PYTHON|TIMEOUT|ERROR)!|#(?:NAME|NOM)\?|#GETTING_DATA|Err:\d{3})$/i;

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
