import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { checkRun } from './check.ts';
import { orderOf } from './power-cut.ts';
import { sendRecorded } from './recorded-campaign.ts';
import { type Call, noStrace } from './strace.ts';

/* The order of writes (L3), from the kernel’s point of view: kill -9 does not test a sync, for the page cache survives it. */

const CONTACTS = 40;

test.skipIf(noStrace)(
  'were the power cut at any message or 2xx that leaves, the disk would know of it [A18 I4 I6]',
  async () => {
    const { stage, calls } = await sendRecorded({ contacts: CONTACTS });
    const { early, ...counts } = orderOf(calls, stage.ledgerFile);
    expect(early).toEqual([]);
    expect(counts.messages).toBe(CONTACTS);
    expect(counts.acknowledged).toBeGreaterThanOrEqual(CONTACTS);
    expect(counts.syncs).toBeGreaterThan(0);
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

test.skipIf(noStrace)('a message is in the wire note before a byte of it leaves [A19]', async () => {
  const { stage, calls } = await sendRecorded({ contacts: CONTACTS });
  const attempts = attemptsOf(stage.ledgerFile);
  expect(unnoted(calls, attempts)).toEqual([]);
  expect(attempts.size).toBe(CONTACTS);
  // The same recording with its first message before its note.
  const { sent } = firstMessage(calls, stage.ledgerFile);
  const message = calls[sent] as Call;
  const attempt = attempts.get(mobileIn(message) ?? '') ?? '';
  const noted = calls.findIndex((call) => call.is === 'noted' && call.handed.includes(attempt));
  const early = calls.toSpliced(sent, 1).toSpliced(noted, 0, message);
  expect(unnoted(early, attempts)).toEqual([mobileIn(message)]);
});

/** The numbers whose message left without a note of its attempt. */
function unnoted(calls: Call[], attempts: Map<string, string>): (string | null)[] {
  let handed: string[] = [];
  return calls.flatMap((call) => {
    if (call.is === 'noted') handed = call.handed;
    const mobile = mobileIn(call);
    return mobile === null || handed.includes(attempts.get(mobile) ?? '') ? [] : [mobile];
  });
}

function mobileIn(call: Call): string | null {
  return call.is === 'sent' ? (/"mobile":"(\d+)"/.exec(call.text)?.[1] ?? null) : null;
}

/** The attempt of each number, of one campaign that was sent at the first try. */
function attemptsOf(ledgerFile: string): Map<string, string> {
  const database = new DatabaseSync(ledgerFile, { readOnly: true });
  const named = "SELECT mobile, campaign || ' ' || seq || ' ' || attempt AS name FROM message";
  const rows = database.prepare(named).all();
  database.close();
  return new Map(rows.map(({ mobile, name }) => [String(mobile), String(name)]));
}

/** Where the first message leaves, and the syncs before it. */
function firstMessage(calls: Call[], ledgerFile: string): { sent: number; syncs: number[] } {
  const sent = calls.findIndex((call) => call.is === 'sent' && call.text.includes('"mobile":"'));
  const isSync = (call: Call) => call.is === 'synced' && call.file === `${ledgerFile}-wal`;
  const syncs = calls.slice(0, sent).flatMap((call, at) => (isSync(call) ? [at] : []));
  return { sent, syncs };
}
