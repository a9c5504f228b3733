import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { COMMANDS } from '../../src/cli/commands.ts';

/* `cancel` asks before it stops a campaign, or one person of it. */

async function place() {
  const story = await LedgerStory.begin();
  const env = { TUMA_HOME: story.directory };
  const n = await story.launch({ name: 'promo' });
  const [row] = await (await story.reader()).messages({ campaign: n, afterSeq: 0, limit: 1, states: null });
  const counts = async () => (await (await story.reader()).overview(n)).messages;
  return { story, env, n, row, counts };
}

it('asks with the name and the number of people, and cancels nothing without a yes', async () => {
  const { env, counts } = await place();
  const asked = await tuma(['cancel', 'promo'], { env, columns: 80, typed: 'n\n' });
  expect(asked.stdout + asked.stderr).toContain('4 people will not get it');
  expect(asked.stdout + asked.stderr).toContain('promo');
  expect(asked.code).toBe(2);
  expect(await counts()).toMatchObject({ queued: 4 });
  expect(await tuma(['cancel', 'promo'], { env, columns: 80, typed: 'y\n' })).toMatchObject({ code: 0 });
  expect(await counts()).toMatchObject({ queued: 0, canceled: 4 });
});

it('is declined without a terminal and without --yes', async () => {
  const { env, counts } = await place();
  const { code, stdout, stderr } = await tuma(['cancel', 'promo', '--json'], { env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('"declined"');
  expect(stderr).toContain('--yes');
  expect(await counts()).toMatchObject({ queued: 4 });
});

it('works as the examples in its help say', async () => {
  const examples = COMMANDS.flatMap((command) =>
    command.usage.startsWith('cancel') ? command.examples : [],
  );
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples) {
    const { story, env } = await place();
    await story.launch({ id: 'rent-1', name: 'rent', rows: [{ mobile: '254712345678' }], messages: 1 });
    const { code, stderr } = await tuma(example.split(' ').slice(1), { env, columns: 80, typed: 'y\n' });
    expect({ example, code, stderr }).toMatchObject({ code: 0 });
  }
});

it('one person by number: counted, masked, and twice is as once', async () => {
  const { env, row, counts } = await place();
  const mobile = row?.mobile ?? '';
  const { code, stdout, stderr } = await tuma(['cancel', 'promo', '--mobile', mobile, '--yes', '--json'], {
    env,
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ people: 1, canceled: 1, may_still_arrive: 0 });
  expect(stdout + stderr).not.toContain(mobile);
  expect(await counts()).toMatchObject({ queued: 3, canceled: 1 });
  const again = await tuma(['cancel', 'promo', '--mobile', mobile, '--yes', '--json'], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ canceled: 0 });
  expect((await tuma(['audit', 'promo'], { env })).stdout).not.toContain(mobile);
});

it('one person by line, who is asked about, and nobody where there is no such message', async () => {
  const { env, row, counts } = await place();
  const declined = await tuma(['cancel', 'promo', '--line', String(row?.line), '--json'], { env });
  expect(declined.code).toBe(2);
  expect(await counts()).toMatchObject({ queued: 4 });
  const done = await tuma(['cancel', 'promo', '--line', String(row?.line), '--yes'], { env });
  expect(done.stdout).toContain('1 person will get nothing more of promo: 1 message canceled.');
  expect(done.stderr).toContain('There is no way back in this campaign');
  const nobody = await tuma(['cancel', 'promo', '--mobile', '0799999999', '--yes', '--json'], { env });
  expect(nobody.code).toBe(2);
  expect(nobody.stderr).toContain('not_found');
  expect(nobody.stderr).not.toContain('799999999');
  expect(await tuma(['cancel', 'promo', '--occurrence', '2026-12-01', '--yes'], { env })).toMatchObject({
    code: 2,
  });
  expect(await counts()).toMatchObject({ queued: 3 });
});

it('says what may still arrive', async () => {
  const { story, env, row, counts } = await place();
  await story.claim();
  const args = ['cancel', 'promo', '--mobile', row?.mobile ?? '', '--yes'];
  expect((await tuma(args, { env })).stdout).toContain('0 messages canceled, 1 may still arrive.');
  expect(await counts()).toMatchObject({ sending: 4 });
});

it('skip names the moment, and says when it is left out already', async () => {
  const { story, env } = await place();
  const settings = { every: { cron: '0 9 * * *' } };
  await story.launch({ id: 'daily-1', name: 'daily', settings, startAt: story.now + 86_400_000 });
  const options = { env, now: story.now };
  const first = await tuma(['skip', 'daily'], options);
  expect(first.stdout).toMatch(/^Left out: daily, .*28 Nov.*\. The next one: .*29 Nov/);
  expect((await tuma(['skip', 'daily'], options)).stdout).toContain('Left out already: daily, ');
  expect(await tuma(['skip', 'promo'], options)).toMatchObject({ code: 2 });
});
