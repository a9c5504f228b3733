/* A provider's ids: the forms in which an answer and a report may write the same one. */

/** The id in lower case without leading zeros, as the ledger's `ltrim(lower(id), '0')`: ASCII letters only. */
export function plainId(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^0+/, '');
}

/** How two forms of one id differ. `number`: one is the other in hexadecimal. */
export type IdForm = 'same' | 'case' | 'zeros' | 'number';

const DECIMAL = /^\d+$/;
/** At least one letter, because any two numbers of digits could be read in this way. */
const HEX = /^(?:0x)?(?=\d*[a-f])([\da-f]+)$/i;
/** Longer texts are not compared as numbers. */
const MOST_DIGITS = 64;

/** The difference between two forms of one id; null: they seem to be two ids. */
export function idForm(one: string, other: string): IdForm | null {
  if (one === other) return 'same';
  if (one.toLowerCase() === other.toLowerCase()) return 'case';
  if (plainId(one) === plainId(other)) return 'zeros';
  return plainForms(one).includes(plainDigits(other)) ? 'number' : null;
}

/** The plain ids that an id may have: its own, and the same number in decimal or in hexadecimal. */
export function plainForms(id: string): string[] {
  const forms = [plainDigits(id)];
  if (id.length > MOST_DIGITS) return forms;
  if (HEX.test(id)) return [...forms, BigInt(`0x${plainDigits(id)}`).toString()];
  const hex = DECIMAL.test(id) ? BigInt(id).toString(16) : '';
  return HEX.test(hex) ? [...forms, hex] : forms;
}

/** The plain id, of a hexadecimal number without `0x`. */
function plainDigits(id: string): string {
  return plainId(HEX.exec(id)?.[1] ?? id);
}
