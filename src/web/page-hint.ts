/** What only a person at a terminal can do. */
const OF_THE_COMMAND_LINE = /\btuma [a-z]|(?:^|[\s(`])--[a-z]/;

/**
 * The advice of an error as a page gives it: whoever sits at a page has no command line, so advice that names one is
 * left out. Null: there is none.
 */
export function pageHint({ hint }: { hint: string | null }): string | null {
  return hint === null || OF_THE_COMMAND_LINE.test(hint) ? null : hint;
}
