import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

/* A person says what an unknown answer means: she sees first what it changes, and can take it back. */

const MOBILE = '254700000001';

/** A campaign with three messages that got one unknown answer, in three varieties. */
async function place() {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 3 });
  await story.claim();
  const question = { content: 'hash', words: 'Refused by gateway' };
  const answered = (seq: number) => ({
    to: 'uncertain' as const,
    evidence: { httpStatus: 200, code: null, question, raw: `{"ResultCode":17,"at":"10:02:0${seq}"}` },
  });
  await story.record(n, { 1: answered(1), 2: answered(2), 3: answered(3) });
  story.now += 1;
  const env = { TUMA_HOME: story.directory };
  const run = (args: string[], asked: { columns?: number; typed?: string } = {}) =>
    tuma(args, { env, ...asked });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const states = async () => (await (await story.reader()).overview(n)).messages;
  return { story, run, json, states };
}

/** A report of an unknown word that names a number: it waits. */
async function reportNaming(story: LedgerStory, mobile: string): Promise<void> {
  await story.ledger.storeWebhook({
    receivedAt: story.now,
    method: 'POST',
    contentType: 'application/json',
    query: '',
    body: Buffer.from(`report of ${mobile}`),
    ip: '127.0.0.1',
  });
  const [stored] = await story.ledger.newWebhooks(1);
  const report = {
    messageId: `x-${mobile}`,
    word: 'Odd',
    delivery: null,
    reason: null,
    network: null,
    at: null,
  };
  await story.ledger.recordReports([
    {
      webhook: stored?.webhook ?? 0,
      kind: 'report',
      reports: [{ ...report, mobile }],
      now: story.now,
    },
  ]);
}

it('map shows how many messages it would change, whole answers and reports against it, and asks', async () => {
  const { story, run, states } = await place();
  await reportNaming(story, MOBILE);
  const nobody = await run(['answers', 'map', '1', 'credit']);
  expect(nobody.code).toBe(2);
  expect(nobody.stderr).toContain('Add --yes to map without a terminal.');
  const declined = await run(['answers', 'map', '1', 'credit'], { columns: 120, typed: 'n\n' });
  expect(declined.code).toBe(2);
  const shown = declined.stderr.replace(/\s+/g, ' ');
  expect(shown).toContain('3 messages wait for this decision and would become rejected');
  for (const seq of [1, 2, 3]) expect(shown).toContain(`HTTP 200: {"ResultCode":17,"at":"10:02:0${seq}"}`);
  expect(shown).toContain('Waiting delivery reports name the numbers of 1 of them.');
  expect(shown).toContain('Does "Refused by gateway" mean credit?');
  expect(await states()).toMatchObject({ uncertain: 3, rejected: 0 });
  const agreed = await run(['answers', 'map', '1', 'credit'], { columns: 120, typed: 'y\n' });
  expect(agreed.stdout).toContain('3 messages are now rejected. Send them again with: tuma retry CAMPAIGN');
  expect(await states()).toMatchObject({ uncertain: 0, rejected: 3 });
});

it('another meaning is refused until unmap has taken back what the first one decided', async () => {
  const { run, json, states } = await place();
  expect(await json('answers', 'map', '1', 'contact', '--yes')).toMatchObject({ messages: 3 });
  const other = await run(['answers', 'map', '1', 'accepted', '--yes']);
  expect(other.code).toBe(2);
  expect(other.stderr).toMatch(/Answer 1 means contact\..*\n?.*tuma answers unmap 1/);
  expect((await run(['answers', 'unmap', '1'])).stdout).toContain('3 messages are uncertain again.');
  expect(await states()).toMatchObject({ uncertain: 3 });
  expect(await json('answers', 'unmap', '1')).toMatchObject({ unmapped: false, messages: 0 });
  expect(await json('answers', 'map', '1', 'accepted', '--yes')).toMatchObject({ messages: 3 });
});

it('a report that names the number of a rejected message is said by status, webhooks list and verify, and retry leaves it out', async () => {
  const { story, run, json, states } = await place();
  await json('answers', 'map', '1', 'credit', '--yes');
  expect((await run(['status'])).stderr).not.toContain('may have been sent');
  await reportNaming(story, MOBILE);
  const said =
    '1 rejected message of bf-1 may have been sent, because waiting delivery reports name its number.';
  for (const args of [['status'], ['status', 'bf-1'], ['webhooks', 'list'], ['verify'], ['verify', 'bf-1']]) {
    const { code, stdout, stderr } = await run(args);
    expect({ code, said: `${stdout}${stderr}`.replace(/\s+/g, ' ') }).toEqual({
      code: 0,
      said: expect.stringContaining(said),
    });
  }
  const contradictions = [{ campaign: 'bf-1', messages: 1, last_at: new Date(story.now).toISOString() }];
  expect(await json('status')).toMatchObject({ contradictions });
  expect(await json('verify')).toMatchObject({ contradictions, violations: [] });
  expect(await json('webhooks', 'list')).toMatchObject({
    contradictions: { campaigns: contradictions, webhooks: [1] },
  });
  // The answers are as old as the story, whatever the time of day is now.
  await story.ledger.retry(1, { now: story.now, by: 'test', answeredBefore: story.now + 1 });
  expect(await states()).toMatchObject({ rejected: 1, queued: 2 });
  const again = await run(['retry', 'bf-1']);
  expect(again.stdout).toContain('No other rejected message of black-friday can be helped by a retry.');
  expect(again.stderr).toContain('1 left out: a delivery report names the number');
  expect(await json('retry', 'bf-1')).toMatchObject({ retried: 0, named_by_reports: 1 });
});

it('list shows one answer of each group, so that equal words can be told apart', async () => {
  const { json } = await place();
  expect(await json('answers', 'list')).toMatchObject({
    answers: [
      { answer: 1, words: 'Refused by gateway', example: expect.stringContaining('"ResultCode":17') },
    ],
  });
});
