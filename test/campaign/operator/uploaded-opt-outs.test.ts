import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { importUploadedOptOuts } from '../../../src/campaign/operator/uploaded-opt-outs.ts';
import { figuresXlsx } from '../../../src/reports/workbook.ts';
import { LedgerStory } from '../../support/ledger-story.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/** A ledger, and the import of what somebody sends to it. */
async function place() {
  const story = await LedgerStory.begin();
  const folder = makeTempDir();
  const clock = { now: () => story.now, monotonic: () => 0, sleep: async () => undefined };
  const send = (stream: Readable, sent: { isTooLarge?: () => boolean; length?: number } = {}) =>
    importUploadedOptOuts(
      { ledger: story.ledger, clock },
      { stream, length: null, ...sent, name: 'stop.xlsx', folder, country: 'KE', by: 'ann' },
    );
  const optedOut = async () =>
    (await (await story.reader()).optOuts({ after: null, limit: 9 })).map(({ mobile }) => mobile);
  return { folder, send, optedOut };
}

it('a workbook is known by its bytes, whatever it is called, and nothing of it stays on the disk', async () => {
  const { folder, send, optedOut } = await place();
  const columns = ['Phone', 'Name'].map((name) => ({ name, kind: 'text' as const }));
  const rows = [
    ['0711000001', 'Ann'],
    ['nobody', 'Ben'],
  ];
  const result = await send(Readable.from(figuresXlsx({ columns, rows }, { sheet: 'Stop', zone: 'UTC' })));
  expect(result).toMatchObject({ read: 2, added: 1, invalid: 1, sheet: { name: 'Stop', of: 1 } });
  expect(result.rejected).toMatchObject([{ line: 3, reason: 'not a number' }]);
  expect(await optedOut()).toEqual(['254711000001']);
  expect(readdirSync(folder)).toEqual([]);
});

it('of a list that is cut on its way, or too large, nobody is opted out', async () => {
  const { folder, send, optedOut } = await place();
  const cut = async function* () {
    yield 'Phone\n0711000001\n';
    throw new Error('the connection closed');
  };
  await expect(send(Readable.from(cut()))).rejects.toThrow('came only in part');
  const whole = () => Readable.from(['Phone\n0711000001\n']);
  await expect(send(whole(), { isTooLarge: () => true })).rejects.toThrow('Nobody was opted out');
  await expect(send(whole(), { length: 99 })).rejects.toThrow('came only in part');
  expect(await optedOut()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
