import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

const MOBILE = '254712345678';

async function told(state: 'sent' | 'waiting') {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [{ mobile: MOBILE, fields: [MOBILE, 'Canary Wanjiku'] }, {}] });
  if (state === 'sent') {
    await story.claim();
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
    await story.report(`m${n}-1`, 'delivered');
    await story.reply(MOBILE, 'my secret answer', null);
  }
  return { story, n, env: { TUMA_HOME: story.directory } };
}

it('looks first, asks, and removes the person from the file of the ledger; verify stays clean', async () => {
  const { story, n, env } = await told('sent');
  const look = await tuma(['erase', '0712345678', '--dry-run'], { env });
  expect(look.stdout).toContain('1 message and 1 answer of this number.');
  expect(await tuma(['erase', MOBILE], { env })).toMatchObject({ code: 2 });
  expect(await tuma(['erase', MOBILE], { env, typed: 'n\n', columns: 80 })).toMatchObject({ code: 2 });
  expect(
    (await (await story.reader()).messages({ campaign: n, afterSeq: 0, limit: 1, states: null }))[0]?.mobile,
  ).toBe(MOBILE);
  const ran = await tuma(['erase', MOBILE, '--yes', '--json'], { env });
  expect(JSON.parse(ran.stdout)).toMatchObject({ messages: 1, replies: 1, shared: 0, rewritten: true });
  const file = readFileSync(story.file).toString('latin1');
  for (const text of [MOBILE, 'Canary Wanjiku', 'my secret answer']) expect(file).not.toContain(text);
  expect(await tuma(['verify'], { env })).toMatchObject({ code: 0 });
  expect(JSON.parse((await tuma(['erase', MOBILE, '--yes', '--json'], { env })).stdout)).toMatchObject({
    messages: 0,
  });
});

it('refuses while something waits, and says what to do first', async () => {
  const { env } = await told('waiting');
  const refused = await tuma(['erase', MOBILE, '--yes'], { env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('1 message still to send: cancel for this person first.');
  expect(refused.stderr).not.toContain(MOBILE);
  expect((await tuma(['erase', '12', '--yes'], { env })).code).toBe(2);
});
