import { expect, test, vi } from 'vitest';
import { checkRun } from './check.ts';
import { orderOf } from './power-cut.ts';
import { sendRecorded } from './recorded-campaign.ts';
import { type Call, noStrace } from './strace.ts';

/* The order of writes (L3), from the kernel’s point of view: kill -9 does not test a sync, for the page cache survives it. */

vi.setConfig({ testTimeout: 120_000 });

const CONTACTS = 40;

test.skipIf(noStrace)(
  'A18 I4 I6: were the power cut at any message or 2xx that leaves, the disk would know of it',
  async () => {
    const { stage, calls } = await sendRecorded({ contacts: CONTACTS });
    const { early, ...counts } = orderOf(calls, stage.ledgerFile);
    expect(early).toEqual([]);
    expect(counts.messages).toBe(CONTACTS);
    expect(counts.acknowledged).toBeGreaterThanOrEqual(CONTACTS);
    expect(counts.syncs).toBeGreaterThan(10);
    await checkRun(stage, { kills: 0 });
    // The same recording with one message a sync too early, and with one sync that never came.
    const [sent, synced] = firstMessage(calls, stage.ledgerFile);
    const first = calls.slice(0, sent + 1);
    const named = [expect.stringMatching(/^message \d+ left before/)];
    const hasty = first.toSpliced(synced, 0, ...first.splice(sent, 1));
    expect(orderOf(hasty, stage.ledgerFile).early).toEqual(named);
    expect(orderOf(calls.slice(0, sent + 1).toSpliced(synced, 1), stage.ledgerFile).early).toEqual(named);
  },
);

/** Where the first message leaves, and the sync before it. */
function firstMessage(calls: Call[], ledgerFile: string): [sent: number, synced: number] {
  const sent = calls.findIndex((call) => call.is === 'sent' && call.text.includes('"mobile":"'));
  const isSync = (call: Call) => call.is === 'synced' && call.file === `${ledgerFile}-wal`;
  return [sent, calls.slice(0, sent).findLastIndex(isSync)];
}
