/*
 * The `messageid` of API document 2.2. An id spells a serial number in one of five ways: plain digits,
 * leading zeros, more digits than a double holds, a UUID, letters. A client that trims, parses or rounds ids
 * loses reports. The last digit of the serial chooses the spelling, so two spellings never collide.
 */

const SPELLINGS = 10;

/** The first serial of a new truth log. It contains the time, because a ledger outlives a sandbox and needs new ids. */
export function firstSerial(now: number): number {
  return now * 4096;
}

/** The id of a serial number. */
export function messageId(serial: number): string {
  switch (serial % SPELLINGS) {
    case 6:
      return `000${serial}`;
    case 7:
      return numericId(serial);
    case 8:
      return uuidOf(serial);
    case 9:
      return `SMS-${serial.toString(36).toUpperCase()}`;
    default:
      return String(serial);
  }
}

/** The id of a serial number as twenty digits, which a double cannot hold. */
export function numericId(serial: number): string {
  return `9${String(serial).padStart(19, '0')}`;
}

function uuidOf(serial: number): string {
  const hex = serial.toString(16).padStart(14, '0');
  return `5a4db0c5-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10).padStart(12, '0')}`;
}
