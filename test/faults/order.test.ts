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
    // The same recording with a message before the sync of its intent, and without that sync and those after it.
    const { sent, syncs } = firstMessage(calls, stage.ledgerFile);
    const before = calls.slice(0, sent);
    const message = calls[sent] as Call;
    const earlyWhen = (changed: Call[]) => orderOf(changed, stage.ledgerFile).early;
    const covering = syncs.findLast((at) => earlyWhen(before.toSpliced(at, 0, message)).length > 0) ?? NaN;
    const named = [expect.stringMatching(/^message \d+ left before/)];
    expect(earlyWhen(before.toSpliced(covering, 0, message))).toEqual(named);
    const unsynced = before.filter((_, at) => at < covering || !syncs.includes(at));
    expect(earlyWhen([...unsynced, message])).toEqual(named);
  },
);

/** Where the first message leaves, and the syncs before it. */
function firstMessage(calls: Call[], ledgerFile: string): { sent: number; syncs: number[] } {
  const sent = calls.findIndex((call) => call.is === 'sent' && call.text.includes('"mobile":"'));
  const isSync = (call: Call) => call.is === 'synced' && call.file === `${ledgerFile}-wal`;
  const syncs = calls.slice(0, sent).flatMap((call, at) => (isSync(call) ? [at] : []));
  return { sent, syncs };
}
