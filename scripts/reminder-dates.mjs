// Writes the contacts of jobs/reminder.yaml with dates from today, so that the sample always has something to come.
//
//     node scripts/reminder-dates.mjs [FILE] [ROWS]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const NAMES = ['Achieng', 'Brian', 'Cherono', 'Daudi', 'Esther', 'Faith', 'Gitau', 'Halima', 'Ian', 'Jane'];
const DAY_MS = 86_400_000;
/** The first is due in so many days: its reminder, two days before, is still to come. */
const FIRST_DAY = 3;
/** Most are due within two weeks; the last third every other month, so that an old file still has something to come. */
const DAYS = 14;
const LATER_EVERY = 60;

const [file = join(FOLDER, 'jobs/reminder.csv'), rows = '60'] = process.argv.slice(2);
writeFileSync(file, contacts(Number(rows), Date.now()));

function contacts(count, now) {
  const lines = ['Phone,First name,Invoice,Amount,Due date'];
  for (let row = 0; row < count; row++) {
    // A block of numbers that nobody has.
    const mobile = `0700000${String(row % 1_000).padStart(3, '0')}`;
    const later = row - Math.floor((count * 2) / 3);
    const due = dueDate(now, later < 0 ? FIRST_DAY + (row % DAYS) : DAYS + (later + 1) * LATER_EVERY);
    lines.push(`${mobile},${NAMES[row % NAMES.length]},INV-${1001 + row},${1500 + (row % 9) * 250},${due}`);
  }
  return `${lines.join('\n')}\n`;
}

/** dd/mm/yyyy, as people in Kenya write it. */
function dueDate(now, days) {
  const [year, month, day] = new Date(now + days * DAY_MS).toISOString().slice(0, 10).split('-');
  return `${day}/${month}/${year}`;
}
