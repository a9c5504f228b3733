import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bench, Finding } from '../bench.ts';
import { spreadOf } from '../spread.ts';
import { launch, startSink } from '../tuma.ts';

/** All pages of the file, the free ones with them. */
const WHOLE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
/** Of what each message is in: the table and its indexes, the largest first. */
const PARTS = `
  SELECT sqlite_schema.name AS name, sum(pgsize) AS bytes
  FROM dbstat JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
  WHERE aggregate = TRUE AND tbl_name IN ('message', 'attempt')
  GROUP BY sqlite_schema.name ORDER BY bytes DESC`;

interface Part {
  name: string;
  bytes: number;
}

/**
 * Row 12: how many bytes the ledger has for each sent message: the whole file, with messages, attempts, their indexes,
 * and the few pages of everything else. One run: the same messages leave the same bytes.
 */
export async function measureLedgerBytes(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('12')) return [];
  const { messages } = bench.sizes;
  bench.say(`row 12: ${messages} messages`);
  const home = bench.workspace.home();
  await using sink = await startSink();
  const options = { home, origin: sink.origin, contacts: messages, rate: 'unlimited', wait: true };
  const { sent } = await launch(bench, options);
  if (sent !== messages) throw new Error(`Tuma reports ${sent} of ${messages} messages sent`);
  const { whole, parts } = bytesOf(join(home, 'ledger.db'));
  bench.workspace.leave(home);
  const perMessage = { unit: 'B', ...spreadOf([whole / messages]) };
  const each = parts.map(({ name, bytes }) => ({ name, share: Math.round(bytes / messages) }));
  return [
    {
      row: '12',
      what: 'bytes of the ledger for a sent message',
      tuma: { what: `the whole file after ${messages} messages`, ...perMessage },
      dividedBy: null,
      figure: perMessage,
      judged: true,
      notes: each.filter(({ share }) => share > 0).map(({ name, share }) => `${name} ${share} B`),
    },
  ];
}

function bytesOf(ledger: string): { whole: number; parts: Part[] } {
  const database = new DatabaseSync(ledger, { readOnly: true });
  const { bytes } = database.prepare(WHOLE).get() as { bytes: number };
  const parts = database.prepare(PARTS).all() as unknown as Part[];
  database.close();
  return { whole: bytes, parts };
}
