import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, claimsEver } from './check.ts';
import { ended, openStage } from './harness.ts';
import { keepOpen, settle } from './killing.ts';
import { addRun } from './summary.ts';

const CONTACTS = 600;

/** How many messages of a ledger are in each state. */
function statesIn(file: string): Record<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT state, count(*) AS count FROM message GROUP BY state').all();
    return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  } finally {
    database.close();
  }
}

test('of a home and its copy that serve at the same time one sends, and the other is refused at its first claim and at every start [S11]', async () => {
  const stage = await openStage({ contacts: CONTACTS, gated: true });
  stage.gate.holdAfter(150);
  const state = { XDG_STATE_HOME: join(stage.directory, 'state') };
  await keepOpen(stage);
  const copy = join(stage.directory, 'copy');
  mkdirSync(copy, { mode: 0o700 });
  copyFileSync(stage.ledgerFile, join(copy, 'ledger.db'));
  const ofCopy = { ...state, TUMA_HOME: copy };

  // Both begin with the same ledger; the copy stands before its first claim until the other has sent.
  const go = join(stage.directory, 'go');
  const hook = { at: 'claim', when: 'before', nth: 1, does: 'wait', file: go } as const;
  const twin = stage.serve('worker', { env: ofCopy, hook });
  await waitFor(() => existsSync(`${go}.${twin.pid}`), {
    what: 'the copy’s first claim',
  });
  const first = stage.serve('worker', { env: state });
  await stage.gate.full();
  writeFileSync(go, '');
  await twin.printed(/ledger_behind|older than what was sent/);
  stage.gate.release();
  await first.stop('SIGTERM');
  expect(statesIn(join(copy, 'ledger.db'))).toEqual({ queued: CONTACTS });
  await twin.stop('SIGTERM');

  const again = await ended(stage.serve('worker', { env: ofCopy }));
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('This ledger is older than what was sent from it');
  expect(claimsEver(stage)).toBeGreaterThan(0);
  await settle(stage);
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ accepted: CONTACTS, uncertain: 0 });
  addRun('a home and its copy at once', findings);
});
