import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../support/temp-home.ts';
import { compare } from './truth-check.ts';

/* What machines-process.ts relies on: whatever the export or the report says against the truth is named. */

const MOBILES = ['254700000000', '254700000001', '254700000002'];

function accepted(mobile: string, serial: number, more: object = {}) {
  return {
    event: 'accepted',
    at: serial,
    serial,
    messageid: `id-${serial}`,
    mobile,
    cost: '0.80',
    answer: 'ok',
    ...more,
  };
}

const TRUTH = [
  { event: 'start', at: 0, balance: '100.00' },
  accepted('254700000000', 1),
  accepted('254700000001', 2),
  { event: 'report', at: 3, serial: 1, step: 0, messageid: 'id-1', outcome: 'delivered', result: 'taken' },
];
const ROWS = [
  { mobile: '254700000000', state: 'sent', delivery: 'delivered', messageid: 'id-1', cost: '0.80' },
  { mobile: '254700000001', state: 'uncertain', delivery: null, messageid: null, cost: null },
  { mobile: '254700000002', state: 'rejected', delivery: null, messageid: null, cost: null },
];
const REPORT = { messages: { sent: 1, uncertain: 1, rejected: 1 }, cost: { charged: '0.80' } };

/** Compares, with the nth row, or the truth, or the report changed. */
async function changed(change: {
  row?: [number, object];
  truth?: object[];
  report?: object;
  uncertain?: number;
}) {
  const folder = makeTempDir();
  const lines = (all: object[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('');
  const rows = ROWS.map((row, index) => (index === change.row?.[0] ? { ...row, ...change.row[1] } : row));
  writeFileSync(join(folder, 'truth'), lines([...TRUTH, ...(change.truth ?? [])]));
  writeFileSync(join(folder, 'export'), lines(rows));
  return await compare({
    truthFile: join(folder, 'truth'),
    exportFile: join(folder, 'export'),
    report: JSON.stringify({ ...REPORT, ...change.report }),
    mobiles: MOBILES,
    mayBeUncertain: () => change.uncertain ?? 1,
  });
}

test('an export and a report that agree with the truth are fine', async () => {
  expect(await changed({})).toEqual({
    messages: 3,
    accepted: 2,
    sent: 1,
    uncertain: 1,
    queued: 0,
    double: 0,
    lost: 0,
  });
});

test.each([
  ['accepted twice', { truth: [accepted('254700000001', 3)] }, /double: 254700000001 was accepted 2 times/],
  ['missing', { row: [2, { mobile: '254700000001' }] }, /lost: 254700000002 is 0 times in the export/],
  ['sent, and nobody accepted it', { row: [2, { state: 'sent' }] }, /lost: 254700000002 is sent/],
  ['sent under another id', { row: [0, { messageid: 'id-9' }] }, /lost: 254700000000 is sent/],
  ['sent at another cost', { row: [0, { cost: '0.90' }] }, /lost: .*money: the export has 0.90, taken 0.80/],
  ['queued for ever', { row: [2, { state: 'queued' }] }, /lost: 254700000002 is queued/],
  [
    'accepted, and called rejected',
    { row: [1, { state: 'rejected' }] },
    /was accepted, and the export says rejected/,
  ],
  [
    'reported, and pending',
    { row: [0, { delivery: 'pending' }] },
    /id-1 was reported delivered and is pending/,
  ],
  ['charged otherwise', { report: { cost: { charged: '0.81' } } }, /money: the report has 0.81, taken 0.80/],
  [
    'counted otherwise',
    { report: { messages: { sent: 2 } } },
    /1 are sent in the export, and 2 in the report/,
  ],
  ['uncertain too often', { uncertain: 0 }, /1 are uncertain, at most 0 may be/],
] as [string, Parameters<typeof changed>[0], RegExp][])('%s: it is named', async (_, change, problem) => {
  await expect(changed(change)).rejects.toThrow(problem);
});
