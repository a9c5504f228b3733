import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun } from '../faults/check.ts';
import { openStage, type Stage } from '../faults/harness.ts';
import { acceptedInOrder, document, launch, verified, write } from './world.ts';

/* What happens to campaigns while they run and between them, in real processes against the sandbox. */

const jobOf = (name: string, more: string, text = 'Hi <<name>>, come today.') => `name: ${name}
kind: promotional
sender: DUKA
message: "${text}"
contacts: ./contacts.csv
columns: { mobile: Phone }
window: always
${more}
`;

/** Waits until a campaign is in that state, and for that reason where one is named; answers its report. */
async function until(stage: Stage, name: string, wanted: { state: string; reason?: string }) {
  return waitFor(
    async () => {
      const report = await document(stage, ['report', name]);
      const { state, reason } = report.campaign;
      return state === wanted.state && (wanted.reason ?? reason) === reason ? report : null;
    },
    { what: `${name} to be ${wanted.state}` },
  );
}

/** The most that were accepted in any second. */
function busiestSecond(times: number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

test('the rate of a running campaign is changed, and what the service sees follows it within seconds', async () => {
  const stage = await openStage({ contacts: 300, sandbox: { latencyMs: 0 } });
  write(stage, 'slow.yaml', jobOf('slow', 'rate: 10/s'));
  const serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  await launch(stage, 'slow.yaml');
  await stage.provider.accepted(30);
  const changedFrom = Date.now();
  await document(stage, ['rate', 'slow', '60/s']);
  const changedBy = Date.now();
  const finished = await until(stage, 'slow', { state: 'finished' });
  await serve.stop('SIGTERM');
  expect(finished.messages['sent']).toBe(300);
  const times = (await acceptedInOrder(stage)).map(({ at }) => at);
  // A second of slots is given ahead, and the service may be some milliseconds late.
  const before = times.filter((at) => at < changedFrom);
  const after = times.filter((at) => at > changedBy + 1_500);
  expect(busiestSecond(before)).toBeLessThanOrEqual(12);
  expect(busiestSecond(after)).toBeGreaterThan(30);
  expect(busiestSecond(after)).toBeLessThanOrEqual(66);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 300 });
});

test('a canary of which nothing is delivered holds the rest for a person; one that is delivered lets it go by itself', async () => {
  const mix = { delivered: 0, undelivered: 1, absent: 0, never: 0 };
  const bad = await openStage({
    contacts: 200,
    sandbox: { latencyMs: 0, reportMix: { ...mix, optedOut: 0 } },
  });
  const canary = 'canary: { first: 20, wait: 15m, delivered: 80% }';
  write(bad, 'careful.yaml', jobOf('careful', canary));
  const serve = bad.serve('worker,collector');
  await serve.printed(/serving/);
  await launch(bad, 'careful.yaml');
  await until(bad, 'careful', { state: 'paused', reason: 'canary' });
  const verdict = async () =>
    ((await document(bad, ['status', 'careful']))['canary'] as { verdict: string }).verdict;
  await waitFor(async () => (await verdict()) === 'failed', { what: 'the verdict' });
  await sleep(2_500);
  expect((await bad.provider.stats()).accepted).toBe(20);
  await document(bad, ['resume', 'careful']);
  await bad.provider.accepted(200);
  await serve.stop('SIGTERM');
  await verified(bad);

  const good = await openStage({
    contacts: 200,
    sandbox: { latencyMs: 0, reportMix: { ...mix, delivered: 1, undelivered: 0, optedOut: 0 } },
  });
  write(good, 'careful.yaml', jobOf('careful', canary));
  const other = good.serve('worker,collector');
  await other.printed(/serving/);
  await launch(good, 'careful.yaml');
  await until(good, 'careful', { state: 'finished' });
  await other.stop('SIGTERM');
  const accepted = await acceptedInOrder(good);
  // Nothing but the canary left before one of its reports could have come.
  expect((accepted[20]?.at ?? 0) - (accepted[19]?.at ?? 0)).toBeGreaterThan(20);
  expect(await checkRun(good, { kills: 0 })).toMatchObject({ accepted: 200, sent: 200 });
});

test('the same text of another campaign, and more messages than the cap allows, are skipped with the reason', async () => {
  // No report opts anybody out between the campaigns.
  const reportMix = { delivered: 1, undelivered: 0, absent: 0, optedOut: 0, never: 0 };
  const stage = await openStage({ contacts: 100, sandbox: { latencyMs: 0, reportMix } });
  const serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  const sentBy = async (name: string, guard: string, text?: string) => {
    write(stage, `${name}.yaml`, jobOf(name, guard, text));
    await launch(stage, `${name}.yaml`);
    const { messages, ...report } = await until(stage, name, { state: 'finished' });
    return { ...messages, reasons: report['reasons'] };
  };
  expect(await sentBy('first', '')).toMatchObject({ sent: 100, skipped: 0 });
  expect(await sentBy('twin', '')).toMatchObject({
    sent: 0,
    skipped: 100,
    reasons: [{ state: 'skipped', reason: 'same text recently', count: 100 }],
  });
  const cap = 'guard: { most: 2, per: 7d }';
  expect(await sentBy('second', cap, 'Dear <<name>>, come.')).toMatchObject({ sent: 100, skipped: 0 });
  expect(await sentBy('third', cap, 'And <<name>>, stay.')).toMatchObject({
    sent: 0,
    skipped: 100,
    reasons: [{ state: 'skipped', reason: 'frequency cap', count: 100 }],
  });
  await serve.stop('SIGTERM');
  await verified(stage);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 200 });
});

test('a number that two campaigns were told does not exist is left out of the third, which says what that saved', async () => {
  const stage = await openStage({
    contacts: 20,
    sandbox: { latencyMs: 0, reportDelayMs: { min: 3_600_000, max: 3_600_000 } },
    env: { TUMA_PRICE: '0.80' },
  });
  const serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  for (const [index, name] of ['first', 'second'].entries()) {
    write(stage, `${name}.yaml`, jobOf(name, '', `Hi <<name>>, this is ${name}.`));
    const launched = await launch(stage, `${name}.yaml`);
    expect(launched.rows).toMatchObject({ read: 20, planned: 20, suppressed: 0 });
    await until(stage, name, { state: 'finished' });
    const sent = (await acceptedInOrder(stage))
      .slice(20 * index)
      .toSorted((a, b) => a.mobile.localeCompare(b.mobile));
    for (const { messageid } of sent.slice(0, 3))
      await document(stage, ['trigger', 'report', messageid, 'UserNotExist']);
    await waitFor(async () => (await document(stage, ['report', name])).delivery['undelivered'] === 3, {
      what: 'the failures to be joined',
    });
  }
  write(stage, 'third.yaml', jobOf('third', '', 'Hi <<name>>, this is the third.'));
  const third = await launch(stage, 'third.yaml');
  expect(third.rows).toMatchObject({ read: 20, planned: 17, suppressed: 3 });
  const { cost } = await until(stage, 'third', { state: 'finished' });
  expect((cost as Record<string, string>)['saved']).toBe('2.40');
  await serve.stop('SIGTERM');
  await verified(stage);
  const twice = (await acceptedInOrder(stage)).slice(40);
  expect(twice).toHaveLength(17);
  expect(new Set(twice.map(({ sha256 }) => sha256)).size).toBe(17);
});

test('a start that was missed while everything was down never fires late: it pauses, and a person decides', async () => {
  const stage = await openStage({ contacts: 10, sandbox: { latencyMs: 0 } });
  const local = (at: number) => new Date(at + 3 * 3_600_000).toISOString().slice(0, 19);
  const startAt = Date.now() + 12_000;
  write(stage, 'later.yaml', jobOf('later', `start: ${local(startAt)}\nstart_deadline: 1s`));
  write(
    stage,
    'soon.yaml',
    jobOf('soon', `start: ${local(startAt)}\nstart_deadline: 1h`, 'Hi <<name>>, soon.'),
  );
  const before = stage.serve('worker,collector');
  await before.printed(/serving/);
  expect((await launch(stage, 'later.yaml')).campaign.state).toBe('scheduled');
  expect((await launch(stage, 'soon.yaml')).campaign.state).toBe('scheduled');
  await stage.killWithRedis(before);
  expect(Date.now()).toBeLessThan(startAt);
  await sleep(startAt + 2_000 - Date.now());

  const after = stage.serve('worker,collector');
  const missed = await until(stage, 'later', { state: 'paused', reason: 'start' });
  expect(missed.messages).toMatchObject({ queued: 10, sent: 0 });
  // The one with time left goes, in the same process and after the same death.
  await until(stage, 'soon', { state: 'finished' });
  expect(await acceptedInOrder(stage)).toHaveLength(10);
  expect(await document(stage, ['status', 'later'])).toMatchObject({ state: 'paused', reason: 'start' });
  expect(await document(stage, ['resume', 'later'])).toMatchObject({ changed: true });
  await until(stage, 'later', { state: 'finished' });
  await after.stop('SIGTERM');
  expect(await checkRun(stage, { kills: 1 })).toMatchObject({ accepted: 20 });
  await verified(stage);
});
