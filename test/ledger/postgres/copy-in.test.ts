import type { SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyIn, copyLine, Lines } from '../../../src/ledger/move/copy-in.ts';
import { READS, type ParameterType } from '../../../src/ledger/postgres/values.ts';
import { postgresForTests } from '../../support/postgres.ts';

const target = await postgresForTests();
const TYPES: ParameterType[] = ['bigint', 'text', 'bytea', 'float8'];
const ROWS: SQLInputValue[][] = [
  [1, 'a\ttab, a\nline, a\r\nline, a \\ and a \\N', new Uint8Array([0, 9, 10, 92, 255]), 0.1],
  [2, '\\.', new Uint8Array(), -1e300],
  [3, '', null, 5e-324],
  [4, '\\N', null, null],
  [5, 'a line that is larger than the whole of what crosses at once '.repeat(9), null, 3],
  [6, null, null, null],
  [Number.MAX_SAFE_INTEGER, 'Habari, “Ñandú” 🦁 \b\f\v', null, Number.MAX_VALUE],
];

async function clientOf(): Promise<Client> {
  const client = new Client({ connectionString: target?.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('CREATE TEMPORARY TABLE copied (n bigint, t text, b bytea, f float8)');
  return client;
}

describe.skipIf(target === null)('rows that COPY brings', () => {
  it('are there as they were, whatever stands in them', async () => {
    const client = await clientOf();
    const lines = new Lines(200);
    for (const line of ROWS.map((row) => copyLine(row, TYPES))) {
      if (lines.add(line)) continue;
      await copyIn(client, 'COPY copied FROM STDIN', lines.taken());
      expect(lines.add(line)).toBe(true);
    }
    await copyIn(client, 'COPY copied FROM STDIN', lines.taken());
    const { rows } = await client.query({
      text: 'SELECT * FROM copied ORDER BY n',
      rowMode: 'array',
      types: READS,
    });
    expect(rows).toEqual(ROWS);
  });

  it('are refused by an error, and the connection goes on', async () => {
    const client = await clientOf();
    await expect(copyIn(client, 'COPY copied FROM STDIN', Buffer.from('x\n'))).rejects.toMatchObject({
      code: '22P02',
    });
    expect((await client.query('SELECT count(*)::int AS n FROM copied')).rows).toEqual([{ n: 0 }]);
  });
});
