/* A provider's ids: the forms in which an answer and a report may write the same one. */

/** The id in lower case without leading zeros, as the ledger's `ltrim(lower(id), '0')`: ASCII letters only. */
export function plainId(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^0+/, '');
}

/** How two forms of one id differ. `number`: one is the other in hexadecimal. */
export type IdForm = 'same' | 'case' | 'zeros' | 'number';

const DECIMAL = /^\d+$/;
const HEX = /^(?:0x)?([\da-f]+)$/i;
/** Longer texts are not compared as numbers. */
const MOST_DIGITS = 64;

/** The difference between two forms of one id; null: they seem to be two ids. */
export function idForm(one: string, other: string): IdForm | null {
  if (one === other) return 'same';
  if (one.toLowerCase() === other.toLowerCase()) return 'case';
  if (plainId(one) === plainId(other)) return 'zeros';
  return isSameNumber(one, other) || isSameNumber(other, one) ? 'number' : null;
}

function isSameNumber(decimal: string, hex: string): boolean {
  const digits = HEX.exec(hex)?.[1];
  if (digits === undefined || digits.length > MOST_DIGITS) return false;
  return DECIMAL.test(decimal) && decimal.length <= MOST_DIGITS && BigInt(decimal) === BigInt(`0x${digits}`);
}
