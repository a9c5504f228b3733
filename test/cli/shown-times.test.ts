import { beforeAll, expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';

/* People are shown times by the clock of TUMA_ZONE, programs in UTC. */

const ONE = '254700000001';
const HERE = '27 Nov 2026 11:30:00';
const UTC = '2026-11-27T06:00:00.000Z';
/** A time as programs read it. */
const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d/;

let env: Record<string, string>;
beforeAll(async () => {
  const story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory, TUMA_ZONE: 'Asia/Kolkata' };
  const n = await story.launch({ messages: 2 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'uncertain' } });
  await postTo(story, { event: 'sms.received', mobile: ONE, shortcode: 'DUKA', message: 'STOP' });
  await postTo(story, { messageid: 'm1', description: 'Quarantined' });
  await postTo(story, { data: { msgId: 'a', result: 'x' } });
});

it.each([
  [['inbox'], 1],
  [['optouts', 'list'], 1],
  [['optouts', 'list', ONE], 2],
  [['webhooks', 'list'], 2],
  [['webhooks', 'inspect', '1'], 2],
  [['resolve', 'bf-1', '--evidence'], 1],
])('%j shows people the clock of the zone, and programs UTC', async (args, times) => {
  const { code, stdout } = await tuma(args, { env });
  expect({ code, times: stdout.split(HERE).length - 1 }).toEqual({ code: 0, times });
  expect(stdout).not.toMatch(ISO);
  const told = await tuma([...args, '--json'], { env });
  expect(told.stdout).toContain(UTC);
  expect(told.stdout).not.toContain(HERE);
});

it('the question of purge names the moment by the clock of the zone', async () => {
  const { code, stderr } = await tuma(['purge', '--older-than', '180d'], { env, columns: 100, typed: 'n\n' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/from before \d+ \w+ \d{4} \d\d:\d\d:\d\d\./);
});
