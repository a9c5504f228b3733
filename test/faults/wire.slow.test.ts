import { createHash } from 'node:crypto';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { ended, openStage, writeContacts } from './harness.ts';
import { startProxy } from './proxy.ts';

/** As the sandbox keeps the text that a person of that name gets. */
function textOf(name: string): string {
  return createHash('sha256').update(`Hi ${name}, this weekend 20% off everything.`).digest('hex');
}

test('killed when forty bytes of a request had left, its message is uncertain, and was not accepted [A5]', async () => {
  const stage = await openStage({ contacts: 300 });
  const proxy = await startProxy(Number(new URL(stage.provider.url).port));
  const env = { TUMA_MESSAGING_URL: `http://127.0.0.1:${proxy.port}` };
  const cut = proxy.cutRequest(40, 40);
  const run = stage.launch({ env });
  await cut;
  // Everything else is answered; the one that was cut waits for its deadline.
  await waitFor(() => countState(stage, 'sent') === 299, { what: '299 sent' });
  expect(countState(stage, 'sending')).toBe(1);
  await stage.killWithRedis(run);
  const last = await ended(stage.launch({ env }));
  expect(last).toMatchObject({ code: 3, document: { messages: { sent: 299, uncertain: 1 } } });
  const findings = await checkRun(stage, { kills: 1, report: last.document });
  expect(findings).toMatchObject({ accepted: 299, uncertain: 1 });
});

test('contacts that change between plan and launch change nothing: what was planned is sent [B5]', async () => {
  const stage = await openStage({ contacts: 100 });
  const go = join(stage.directory, 'go');
  const run = stage.launch({ hook: { at: 'activate', when: 'before', nth: 1, does: 'wait', file: go } });
  await waitFor(() => globSync(`${go}.*`).length === 1, { what: 'the plan' });
  writeContacts(stage.directory, { contacts: 700, name: 'Somebody else' });
  writeFileSync(go, '');
  const { code, document } = await ended(run);
  expect(code).toBe(0);
  expect(await checkRun(stage, { kills: 0, report: document })).toMatchObject({ accepted: 100, sent: 100 });
  const { messages } = await stage.provider.truth();
  const planned = Array.from({ length: 100 }, (_, index) => textOf(`Person ${index}`));
  const sent = [...messages.values()].flat().map(({ sha256 }) => sha256);
  expect(sent.toSorted()).toEqual(planned.toSorted());
});

test('with no file descriptor left nothing is sent and nothing is uncertain; then it goes on [S5]', async () => {
  const stage = await openStage({ contacts: 300 });
  const hook = { at: 'send', when: 'before', nth: 1, does: 'hoard', delay: 1_000, clockSpeed: 10 } as const;
  const run = stage.launch({ hook, under: ['prlimit', '--nofile=200'] });
  const { code, document, stderr } = await ended(run);
  expect(stderr).toContain('the service is ill');
  expect(code, stderr).toBe(0);
  expect(await checkRun(stage, { kills: 0, report: document })).toMatchObject({
    accepted: 300,
    uncertain: 0,
  });
});
