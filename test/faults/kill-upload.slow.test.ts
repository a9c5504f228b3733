import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { openStage, type Stage } from './harness.ts';
import { type Hook, killAt } from './hooks.ts';

/* Corrected contacts of a reminder campaign, killed at every step of their way into the ledger. */

const PEOPLE = 12_000;
const JOB = `name: rent
kind: transactional
sender: DUKA
message: "Hi <<name>>, the rent is due on <<due>>."
contacts: ./contacts.csv
key: invoice
batch: 500
remind: { column: due, offset: -1d, at: "09:00" }
`;
const mobileOf = (who: number) => `254700${String(who).padStart(6, '0')}`;

/** The first `moved` people are due a day later, the `missing` last ones are gone, and so many others are new. */
function writeTenants(stage: Stage, { moved, missing }: { moved: number; missing: number }): void {
  const rows = Array.from({ length: PEOPLE }, (_, index) => {
    const who = index < PEOPLE - missing ? index : index + PEOPLE;
    return `${mobileOf(who)},T${who},i${who},2026-12-0${who < moved ? 6 : 5}`;
  });
  writeFileSync(join(stage.directory, 'contacts.csv'), `${['phone,name,invoice,due', ...rows].join('\n')}\n`);
}

/** Where an accepted upload stands in the ledger; null: none is under way. */
function phaseOf(stage: Stage): string | null {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true, timeout: 5_000 });
  try {
    return (database.prepare('SELECT phase FROM applying').get()?.['phase'] ?? null) as string | null;
  } finally {
    database.close();
  }
}

interface Kill {
  hook: Hook;
  /** Whether the upload had been accepted by then, so that anybody finishes it. */
  accepted: boolean;
}

const KILLS: Kill[] = [
  { hook: killAt('stageReminders', 'after', 1), accepted: false },
  { hook: killAt('beginUpload', 'before', 1), accepted: false },
  { hook: killAt('beginUpload', 'after', 1), accepted: true },
  ...[5_000, 100_000, 300_000, 500_000].map((delay) => ({
    hook: killAt('applyUploads', 'during', 1, delay),
    accepted: true,
  })),
];

test('killed at any step, a corrected upload is the old plan or the new one, and the same command again ends it [B1]', async () => {
  const stage = await openStage({
    from: Date.parse('2026-12-01T03:00Z'),
    sandbox: { latencyMs: 0, startBalance: '1000000.00' },
  });
  writeFileSync(join(stage.directory, 'rent.yaml'), JOB);
  writeTenants(stage, { moved: 0, missing: 0 });
  const launch = ['launch', 'rent.yaml', '--yes'];
  expect(await stage.tuma(launch)).toMatchObject({ code: 0, document: { messages: { queued: PEOPLE } } });
  const phases = new Set<string | null>();
  let uploads = 1;
  for (const [index, { hook, accepted }] of KILLS.entries()) {
    const before = (await stage.tuma(['report', 'rent'])).document;
    writeTenants(stage, { moved: 300 * (index + 1), missing: 100 * (index + 1) });
    expect(await stage.tuma(launch, { hook })).toMatchObject({ signal: 'SIGKILL' });
    const what = `${hook.at} ${hook.when} ${hook.delay ?? 0}`;
    phases.add(phaseOf(stage));
    expect(await stage.tuma(['verify']), what).toMatchObject({ code: 0, document: { violations: [] } });
    const now = (await stage.tuma(['report', 'rent'])).document;
    if (!accepted) expect([now?.messages, now?.['rows']], what).toEqual([before?.messages, before?.['rows']]);
    const { document } = await stage.tuma(['status']);
    expect((document as { campaigns?: unknown[] } | null)?.campaigns, what).toHaveLength(1);
    expect(await stage.tuma(launch), what).toMatchObject({
      code: 0,
      document: { messages: { queued: PEOPLE } },
    });
    expect(phaseOf(stage), what).toBeNull();
    uploads += 1;
  }
  // Other contacts than the killed ones: those are laid out first, and then compared with.
  writeTenants(stage, { moved: 300 * KILLS.length, missing: 0 });
  expect(await stage.tuma(launch, { hook: killAt('beginUpload', 'after', 1) })).toMatchObject({
    signal: 'SIGKILL',
  });
  writeTenants(stage, { moved: 300 * KILLS.length, missing: 700 });
  expect(await stage.tuma(launch)).toMatchObject({ code: 0, document: { messages: { queued: PEOPLE } } });
  uploads += 2;
  expect([...phases]).toEqual(expect.arrayContaining([null, 'lay']));
  console.info('killed in', [...phases]);
  const serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  stage.clock.jumpTo(Date.parse('2026-12-04T06:00:01Z'));
  await stage.provider.accepted(PEOPLE - 300 * KILLS.length);
  stage.clock.jumpTo(Date.parse('2026-12-05T06:00:01Z'));
  await stage.provider.accepted(PEOPLE);
  await waitFor(() => countState(stage, 'queued') + countState(stage, 'sending') === 0, {
    what: 'all to be recorded',
  });
  await serve.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0, read: PEOPLE * uploads });
  expect(findings).toMatchObject({ accepted: PEOPLE, sent: PEOPLE });
});
