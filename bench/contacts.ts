import { closeSync, openSync, writeSync } from 'node:fs';

/* The contacts of all benches: made by arithmetic, so every run and every machine reads the same bytes. */

/** One person of the list. */
export interface Contact {
  /** International form. */
  mobile: string;
  /** As the list has it. */
  phone: string;
  name: string;
  town: string;
  /** Blank for some. */
  points: string;
}

const NAMES =
  'Neema Mwangi Amina Grace Otieno Wanjiku Kamau Achieng Njeri Kiprono Fatuma Brian Faith Daisy Zawadi Juma Halima Peter Mercy'.split(
    ' ',
  );
/** Forces UCS-2, and with it a second segment: about as rare as in real lists. */
const COSTLY_NAME = 'Wanjirũ';
const TOWNS = ['Nairobi', 'Mombasa', 'Kisumu', 'Nakuru', 'Eldoret', 'Machakos', 'Kakamega'];
/** Odd and no multiple of five: the products run through all eight-digit numbers before one comes again. */
const SCATTER = 61_803_399;
const EIGHT_DIGITS = 100_000_000;
const ROWS_A_WRITE = 10_000;

/** The message of the job file that belongs to these contacts. */
export const TEMPLATE =
  'Hi <<name>>! This weekend only at Duka <<town>>: 20% off everything in store{{#if points}}, and your {{points}} points count double{{/if}}. Karibu!';

/** The contact at that place, from 0. No number comes twice, and they come in no order, as in real lists. */
export function contactAt(index: number): Contact {
  const subscriber = `7${String((index * SCATTER) % EIGHT_DIGITS).padStart(8, '0')}`;
  return {
    mobile: `254${subscriber}`,
    phone: writtenAs(subscriber, index),
    name: index % 100 === 99 ? COSTLY_NAME : (NAMES[index % NAMES.length] as string),
    town: TOWNS[index % TOWNS.length] as string,
    points: index % 10 === 3 ? '' : String((index * 7) % 2_000),
  };
}

/** The message that Tuma renders for a contact, for those who are given it ready-made. */
export function textFor({ name, town, points }: Contact): string {
  const double = points === '' ? '' : `, and your ${points} points count double`;
  return `Hi ${name}! This weekend only at Duka ${town}: 20% off everything in store${double}. Karibu!`;
}

/** Writes a list of so many contacts. */
export function writeContacts(path: string, count: number): void {
  const file = openSync(path, 'w');
  try {
    writeSync(file, 'Phone,First name,Town,Points\n');
    for (let first = 0; first < count; first += ROWS_A_WRITE) {
      const rows = Array.from({ length: Math.min(ROWS_A_WRITE, count - first) }, (_, at) =>
        rowAt(first + at),
      );
      writeSync(file, rows.join(''));
    }
  } finally {
    closeSync(file);
  }
}

function rowAt(index: number): string {
  const { phone, name, town, points } = contactAt(index);
  return `${phone},${name},${town},${points}\n`;
}

/** Of twenty numbers, fourteen are international, four local, one has a plus, one is written in groups. */
function writtenAs(subscriber: string, index: number): string {
  const shape = index % 20;
  if (shape < 14) return `254${subscriber}`;
  if (shape < 18) return `0${subscriber}`;
  if (shape === 18) return `+254${subscriber}`;
  return `0${subscriber.slice(0, 3)} ${subscriber.slice(3, 6)} ${subscriber.slice(6)}`;
}
