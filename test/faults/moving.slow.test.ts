import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorOf, openPlace } from '../e2e/harness.ts';
import { ROOT } from '../support/processes.ts';
import { postgresForTests } from '../support/postgres.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { openStage } from './harness.ts';
import { moveRun } from './move-run.ts';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';

/* `tuma migrate --to` is killed at each of its steps, and given again. */

const first = await postgresForTests();
const place = openPlace();

/** A statement, and whether the ledger has left its file by then. The first COMMIT is that of the schema. */
const KILLS: readonly [at: string, isMoved: boolean][] = [
  // The mark.
  ['before sqlite COMMIT 2', false],
  ['after sqlite COMMIT 2', false],
  // The copy: within its transaction, and around its end.
  ['before postgres COPY "message" 1', false],
  ['before postgres CREATE INDEX 3', false],
  ['before postgres COMMIT 1', false],
  ['after postgres COMMIT 1', false],
  ['before postgres DECLARE 1', false],
  // The switch.
  ['before sqlite COMMIT 3', false],
  ['after sqlite COMMIT 3', true],
  ['before postgres DELETE FROM fact 1', true],
  ['after postgres DELETE FROM fact 1', true],
];

describe.skipIf(first === null)('a move that is killed', () => {
  test.each(KILLS)('%s', async (at, isMoved) => {
    const target = await postgresForTests();
    const url = target?.url ?? '';
    const home = join(place().directory, at.replaceAll(/\W+/g, '-'));
    const env = { TUMA_HOME: home };
    const there = { ...env, TUMA_DATABASE_URL: url };
    const launched = await place().json(['launch', 'job.yaml', '--yes'], { env });
    const before = await place().json(['status', launched.campaign.id], { env });

    const preloaded = `--import=${join(ROOT, 'test/faults/kill-moving-process.ts')}`;
    const killed = place().start(['migrate', '--to', url], {
      env: { ...env, KILL_MOVE: at, NODE_OPTIONS: preloaded },
    });
    expect((await killed.exited).signal).toBe('SIGKILL');

    // Never are both open.
    const here = await place().tuma(['resume', launched.campaign.id, '--json'], { env });
    const onPostgres = await place().tuma(['status', '--json'], { env: there });
    if (isMoved) expect(errorOf(here).code).toBe('ledger_moved');
    else expect(onPostgres.code).not.toBe(0);
    if (at === 'after sqlite COMMIT 3')
      expect(errorOf(await place().tuma(['migrate', '--cancel', '--json'], { env })).code).toBe(
        'ledger_moved',
      );

    expect(await place().json(['migrate', '--to', url], { env })).toMatchObject({
      from: join(home, 'ledger.db'),
    });
    expect(errorOf(await place().tuma(['status', '--json'], { env })).code).toBe('ledger_moved');
    expect(await place().json(['status', launched.campaign.id], { env: there })).toEqual(before);
    expect(await place().json(['verify'], { env: there })).toMatchObject({ violations: [], campaigns: 1 });
    await target?.drop();
  });
});

describe.skipIf(first === null)('a move of a home that has sent, and sends', () => {
  test('is killed at ten random moments, and the campaign ends on Postgres', async () => {
    const stage = await openStage({
      contacts: 0,
      env: { XDG_STATE_HOME: join(makeTempDir(), 'state') },
      sandbox: { reportTries: 100 },
    });
    const [copied, target] = [await postgresForTests(), await postgresForTests()];
    if (copied === null || target === null) throw new Error('Postgres was here, and is gone');
    const random = seeded('a move that is killed');
    const plan = { messages: 3_000, kills: 10, random, first: copied, target, timeoutMs: 300_000 };
    const { killed, ...findings } = await moveRun(stage, plan);
    expect(killed).toBeGreaterThanOrEqual(5);
    addRun('SIGKILL of a move to Postgres', { ...findings, queued: 0 }, { runs: killed });
  });
});
