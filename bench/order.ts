import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Sizes } from './bench.ts';
import { type Row, ROWS } from './goals.ts';

/* What a person asks of `npm run bench`. */

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url));
const FEWEST_RUNS = 5;
const FULL: Sizes = {
  messages: 100_000,
  workerMessages: 5_000,
  contacts: 1_000_000,
  mostPlanned: 1_000_000,
  mostSent: 200_000,
  mostWatched: 1_000_000,
  hangSeconds: 60,
  loadSeconds: 8,
};
const LARGE = { mostPlanned: 5_000_000, mostSent: 1_000_000 };

export const USAGE = `Usage: npm run bench -- [ROWS...] [options]

Rows: ${ROWS.join(', ')} (all by default).

  --runs N        how often each thing is measured (${FEWEST_RUNS})
  --messages N    messages of all rows that send, and the most that row 10 sends (${FULL.messages}; row 4 ${FULL.workerMessages} a worker, rows 8 and 9 ${FULL.mostWatched}, row 10 ${FULL.mostSent})
  --contacts N    contacts of row 5, and the most that row 10 plans (${FULL.contacts})
  --seconds N     sending of row 1b, and load of rows 6 and 7 (${FULL.hangSeconds} and ${FULL.loadSeconds})
  --large         row 10 goes up to 5 M contacts planned and 1 M sent
  --profile DIR   puts processor profiles of Tuma's processes there; the figures are then worth nothing
  --out FILE      writes the results there; bench/results.json takes only a whole bench of full size
`;

const OPTIONS = {
  runs: { type: 'string' },
  messages: { type: 'string' },
  contacts: { type: 'string' },
  seconds: { type: 'string' },
  large: { type: 'boolean' },
  profile: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean' },
} satisfies ParseArgsConfig['options'];

/** What was asked for. */
export interface Order {
  rows: Row[];
  runs: number;
  sizes: Sizes;
  large: boolean;
  profiles: string | null;
  /** Null: nothing is written, because not everything is measured in full. */
  out: string | null;
}

/** Reads the arguments; null when only the help is wanted. Throws an Error that says what is wrong. */
export function readOrder(argv: string[]): Order | null {
  const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  if (values.help === true) return null;
  const rows = positionals.length === 0 ? [...ROWS] : positionals.map(rowNamed);
  const runs = numberOf(values.runs) ?? FEWEST_RUNS;
  const sizes = sizesOf(values);
  const profiles = values.profile === undefined ? null : resolve(values.profile);
  if (profiles !== null) mkdirSync(profiles, { recursive: true });
  const whole = ROWS.every((row) => rows.includes(row)) && isFull(sizes);
  const worthKeeping = whole && runs >= FEWEST_RUNS && profiles === null;
  const out = values.out === undefined ? (worthKeeping ? RESULTS : null) : resolve(values.out);
  return { rows, runs, sizes, large: values.large === true, profiles, out };
}

function sizesOf(values: Partial<Record<string, string | boolean>>): Sizes {
  const messages = numberOf(values['messages']);
  const contacts = numberOf(values['contacts']);
  const seconds = numberOf(values['seconds']);
  const large = values['large'] === true;
  return {
    messages: messages ?? FULL.messages,
    workerMessages: messages ?? FULL.workerMessages,
    contacts: contacts ?? FULL.contacts,
    mostPlanned: contacts ?? (large ? LARGE.mostPlanned : FULL.mostPlanned),
    mostWatched: messages ?? FULL.mostWatched,
    mostSent: messages ?? (large ? LARGE.mostSent : FULL.mostSent),
    hangSeconds: seconds ?? FULL.hangSeconds,
    loadSeconds: seconds ?? FULL.loadSeconds,
  };
}

function isFull(sizes: Sizes): boolean {
  return (Object.keys(FULL) as (keyof Sizes)[]).every((name) => sizes[name] >= FULL[name]);
}

function rowNamed(name: string): Row {
  const row = ROWS.find((each) => each === name);
  if (row === undefined) throw new Error(`There is no row ${name}.`);
  return row;
}

function numberOf(text: string | boolean | undefined): number | null {
  if (typeof text !== 'string') return null;
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error(`"${text}" is no number from 1 up.`);
  return Number(text);
}
