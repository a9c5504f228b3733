import { expect, test } from 'vitest';
import { checkRun } from './check.ts';
import { CRASHES, killAtEach } from './crashes.ts';
import { ended, openStage } from './harness.ts';

test('killed at each step of the protocol, a campaign still ends right [A1 A2 A3 A4 A7 A8 A9 A10 A11 A12 A14 B2]', async () => {
  await killAtEach(CRASHES);
});

test('what runs out of memory ends, and the next one goes on [A17]', async () => {
  const stage = await openStage({ contacts: 900 });
  const exhausted = stage.launch({
    hook: { at: 'send', when: 'after', nth: 10, does: 'exhaust' },
    nodeFlags: ['--max-old-space-size=64'],
  });
  const { code, signal } = await exhausted.exited;
  expect(code === 0 ? 'ended well' : (signal ?? `code ${code}`)).toMatch(/SIGABRT|SIGTRAP|code 1\d\d/);
  const last = await ended(stage.launch());
  expect(last.code).toBe(3);
  await checkRun(stage, { kills: 1, report: last.document });
});
