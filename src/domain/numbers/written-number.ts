/* A number as it may stand in a text of somebody else: with a plus, a zero, or spaces. */

/** The end of a number that every way of writing it shares. */
const SHARED_DIGITS = 9;
/** A longer run of digits is several things without a space between them. */
const MOST_DIGITS = 15;
const DATE = /\d{4}-\d\d-\d\d/g;
const SEPARATORS = /[\s()+.-]|%2[08B9]/gi;
const NUMBERS = /\d{9,}/g;
const NUMBER = /\d{9}/;

/** Whether a text names a number (international digits), and whether another one stands in it, too. */
export function numberIn(text: string, mobile: string): { isNamed: boolean; hasAnother: boolean } {
  const shared = mobile.slice(-SHARED_DIGITS);
  const code = mobile.slice(0, -SHARED_DIGITS);
  const ways = [mobile, `00${mobile}`, `${code}0${shared}`, `0${shared}`, shared];
  const runs = text.replaceAll(DATE, ' ').replaceAll(SEPARATORS, '').match(NUMBERS) ?? [];
  const isOfNumber = (run: string) => ways.some((way) => run.startsWith(way));
  return {
    // With another country code it is somebody else's. Between several things nobody knows where a number begins.
    isNamed: runs.some((run) => run.includes(shared) && (run.length > MOST_DIGITS || isOfNumber(run))),
    hasAnother: runs.some((run) => NUMBER.test(withoutNumber(run, ways))),
  };
}

/** A run without the number: as a whole, or, among several things, wherever it stands. */
function withoutNumber(run: string, ways: readonly string[]): string {
  if (run.length <= MOST_DIGITS) return ways.includes(run) ? '' : run;
  return ways.reduce((left, way) => left.replaceAll(way, ' '), run);
}
