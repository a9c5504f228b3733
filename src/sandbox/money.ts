/* Money as integer millionths of a shilling. It repeats src/domain on purpose: a shared mistake would stay hidden. */

const DECIMALS = 6;
const AMOUNT = /^(\d{1,9})(?:\.(\d{1,6}))?$/;

/** Reads "0.80" as 800000. Returns null for anything else than plain digits and a point. */
export function readAmount(text: string): number | null {
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  return Number(`${match[1]}${(match[2] ?? '').padEnd(DECIMALS, '0')}`);
}

/** Writes an amount with all its decimals, at least two (`messagecost`, API document 2.2). */
export function writeAmount(micro: number): string {
  const [whole, fraction] = digitsOf(micro);
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** Writes a credit with exactly two decimals, rounded down (`credit`, API document 2.4). */
export function writeCredit(micro: number): string {
  const [whole, fraction] = digitsOf(micro);
  return `${whole}.${fraction.slice(0, 2)}`;
}

function digitsOf(micro: number): [whole: string, fraction: string] {
  const digits = String(micro).padStart(DECIMALS + 1, '0');
  return [digits.slice(0, -DECIMALS), digits.slice(-DECIMALS)];
}
