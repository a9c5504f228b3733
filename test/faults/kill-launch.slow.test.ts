import { expect, test } from 'vitest';
import { checkRun, countCampaigns, unjoinedReports } from './check.ts';
import { CLAIM_LIMIT, ended, openStage } from './harness.ts';
import { killAt } from './hooks.ts';
import { seeded } from './seeds.ts';

/** By its heartbeat alone a killed worker would be taken for alive for 30 s. */
const BEFORE_HEARTBEAT_MS = 25_000;

test('launch --wait killed with its Redis at random moments goes on each time and sends nothing twice [A14 R1]', async () => {
  const random = seeded('random kills', 1);
  const stage = await openStage({ contacts: 900 });
  const kills = 3;
  for (let kill = 0; kill < kills; kill += 1) {
    const { accepted } = await stage.provider.stats();
    const run = stage.launch();
    await stage.provider.accepted(accepted + random.whole(1, 120), BEFORE_HEARTBEAT_MS);
    await stage.killWithRedis(run);
    await checkRun(stage, { kills, settled: false });
  }
  // Started again, it does not wait as long for the collector as after many posts in vain.
  await stage.provider.kill();
  await stage.provider.start();
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 3, document: { campaign: { state: 'finished' } } });
  const findings = await checkRun(stage, { kills, report: last.document });
  expect(findings.sent + findings.uncertain).toBe(900);
  expect(findings.sent).toBeGreaterThanOrEqual(900 - kills * CLAIM_LIMIT);
  expect(countCampaigns(stage)).toBe(1);
  expect(await unjoinedReports(stage)).toEqual([]);
  expect(await stage.tuma(['verify'])).toMatchObject({ code: 0, document: { violations: [] } });
});

test('killed while it plans, nothing of the plan is visible, and the next launch plans anew [B1]', async () => {
  const stage = await openStage({ contacts: 600 });
  for (const hook of [killAt('addMessages', 'after', 1), killAt('activate', 'before', 1)]) {
    expect(await ended(stage.launch({ hook }))).toMatchObject({ signal: 'SIGKILL' });
    expect((await stage.tuma(['status'])).document).toMatchObject({ campaigns: [] });
    expect(await stage.tuma(['report', 'faults'])).toMatchObject({ code: 2, document: null });
  }
  expect((await stage.provider.stats()).received).toBe(0);
  const run = await ended(stage.launch());
  expect(run).toMatchObject({ code: 0, document: { messages: { sent: 600 } } });
  expect(await checkRun(stage, { kills: 0, report: run.document })).toMatchObject({ accepted: 600 });
});

test('a request that the provider has not read when the worker dies is uncertain, and is not sent again [A6]', async () => {
  const stage = await openStage({ contacts: 3_000 });
  const run = stage.launch();
  await stage.provider.accepted(60);
  stage.provider.signal('SIGSTOP');
  await stage.killWithRedis(run);
  stage.provider.signal('SIGCONT');
  const last = await ended(stage.launch());
  expect(last.code).toBe(3);
  const { accepted, sent, uncertain } = await checkRun(stage, { kills: 1, report: last.document });
  expect(uncertain).toBeGreaterThan(0);
  // What waited in the sockets of the dead was taken after all: had it been sent again, I1 would have told.
  expect(accepted).toBeGreaterThan(sent);
});
