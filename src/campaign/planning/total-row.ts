/** A cell that says that its row adds up the others, in English and Swahili: "TOTAL", "Grand total (KES)", "Jumla: 5". */
const TOTAL =
  /^(?:(?:grand|sub|overall)[\s-]*)?(?:totals?|jumla)(?:\s+(?:kuu|ndogo|amount|due|balance|members|shares|number|kes|ksh))*(?:\s*\([^()]*\))?[\s:=.]*[\d.,\s]*$/i;
/** A longer cell is a sentence. */
const TOTAL_MAX_CHARACTERS = 60;

/** Why a total row is no person. Only a row without a usable number may be one. */
export const TOTAL_ROW = {
  reason: 'total row' as const,
  detail: 'it has no number, and a cell says that it adds up the rows above; no person is in it',
};

/** Whether a row without a usable number is the total below a list. */
export function isTotalRow(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.length <= TOTAL_MAX_CHARACTERS && TOTAL.test(cell.trim()));
}
