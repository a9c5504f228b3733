import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns } from './check.ts';
import { ended, openStage, writeContacts } from './harness.ts';
import { addRun } from './summary.ts';

const TRIES = 100;
const CONTACTS = 20;

test('in each of 100 tries two launches stand before the activation; one activates, the other watches the same campaign [B3]', async () => {
  const stage = await openStage({ contacts: CONTACTS, sandbox: { latencyMs: 5 } });
  // Nobody collects reports here: they would teach opt-outs, and later pairs would plan fewer.
  const flags = ['--wait-reports', '0s'];
  const worker = stage.serve('worker');
  await worker.printed(/serving/);
  for (let pair = 1; pair <= TRIES; pair += 1) {
    writeContacts(stage.directory, { contacts: CONTACTS, name: `Pair ${pair}` });
    const file = join(stage.directory, `go-${pair}`);
    const hook = { at: 'activate', when: 'before', nth: 1, does: 'wait', file } as const;
    const runs = [stage.launch({ hook, flags }), stage.launch({ hook, flags })];
    await waitFor(() => globSync(`${file}.*`).length === 2, {
      what: `both of pair ${pair} to stand before the activation`,
    });
    writeFileSync(file, '');
    const [one, other] = await Promise.all(runs.map(ended));
    for (const end of [one, other])
      expect(end).toMatchObject({ code: 0, document: { messages: { sent: CONTACTS, queued: 0 } } });
    expect(one?.document?.campaign.id).toBe(other?.document?.campaign.id);
    expect(countCampaigns(stage)).toBe(pair);
  }
  await worker.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings.accepted).toBe(findings.messages);
  addRun('two launches at once', findings, { runs: TRIES });
});
