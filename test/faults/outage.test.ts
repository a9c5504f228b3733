import { expect, test } from 'vitest';
import { checkRun, countState } from './check.ts';
import { ended, IN_FLIGHT, openStage } from './harness.ts';

/** Messages that the breaker lets fail in a row before it opens. */
const BREAKER = 5;

test('a provider that is killed costs what was on the wire and no more; when it is back the campaign goes on [P1 P2]', async () => {
  const stage = await openStage({ contacts: 500, gated: true });
  stage.gate.holdAfter(150);
  const run = stage.launch({ hook: { clockSpeed: 10 } });
  await stage.gate.full();
  await Promise.all([stage.provider.kill(), stage.gate.refuse()]);
  stage.gate.release();
  await run.printed(/the service is ill/);
  const open = countState(stage, 'queued');
  expect(open).toBeGreaterThan(0);
  await Promise.all([stage.provider.start(), stage.gate.accept()]);
  const { code, document } = await ended(run);
  expect(code === 0 || code === 3).toBe(true);
  const findings = await checkRun(stage, { kills: 0, lostAnswers: IN_FLIGHT + BREAKER, report: document });
  expect(findings.sent + findings.uncertain).toBe(500);
});
