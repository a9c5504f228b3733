import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns } from './check.ts';
import { ended, openStage } from './harness.ts';
import type { Hook } from './hooks.ts';

test('of two launches at the same instant one activates, the other watches the same campaign [B3]', async () => {
  const stage = await openStage({ sandboxHere: true });
  const go = join(stage.directory, 'go');
  const hook: Hook = { at: 'activate', when: 'before', nth: 1, does: 'wait', file: go };
  const runs = [stage.launch({ hook }), stage.launch({ hook })];
  await waitFor(() => globSync(`${go}.*`).length === 2, {
    what: 'both to stand before the activation',
  });
  writeFileSync(go, '');
  const [one, other] = await Promise.all(runs.map(ended));
  expect(one).toMatchObject({ code: 0, document: { messages: { sent: 400 } } });
  expect(other).toMatchObject({ code: 0, document: { messages: { sent: 400 } } });
  expect(one?.document?.campaign.id).toBe(other?.document?.campaign.id);
  expect(countCampaigns(stage)).toBe(1);
  expect(await checkRun(stage, { kills: 0, report: one?.document ?? null })).toMatchObject({ accepted: 400 });
});

test('a launch that activates only when another of the same files has sent everything sends nothing [B3]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 100 });
  const go = join(stage.directory, 'go');
  const late = stage.launch({ hook: { at: 'activate', when: 'before', nth: 1, does: 'wait', file: go } });
  await waitFor(() => globSync(`${go}.*`).length === 1, {
    what: 'the late one to stand before the activation',
  });
  const first = await ended(stage.launch());
  expect(first).toMatchObject({ code: 0, document: { messages: { sent: 100 } } });
  writeFileSync(go, '');
  const second = await ended(late);
  expect(second).toMatchObject({ code: 0, document: { campaign: { id: first.document?.campaign.id } } });
  expect(countCampaigns(stage)).toBe(1);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 100 });
});
