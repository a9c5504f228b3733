import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Statement } from '../../src/reports/statement.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

const KES = 1_000_000;

/** A campaign of two messages, with the balance before and after. */
async function told() {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2 });
  await story.readBalance(100 * KES);
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
  story.now += 1_000;
  await story.readBalance(100 * KES - 1_600_000);
  const env = {
    TUMA_HOME: story.directory,
    TUMA_DATABASE_URL: `sqlite:${join(story.directory, 'ledger.db')}`,
  };
  return { story, env };
}

it('a statement is a page for people, and one document for programs', async () => {
  const { env } = await told();
  const span = ['statement', '--from', '2026-11-01', '--to', '2026-11-30'];
  const page = await tuma(span, { env });
  expect(page).toMatchObject({ code: 0, stderr: '' });
  expect(page.stdout).toContain('- unexplained                 KES 0.00  every cent is accounted for');
  const ran = await tuma([...span, '--json'], { env });
  expect(ran.stdout.match(/\n/g)).toHaveLength(1);
  const document = JSON.parse(ran.stdout) as Statement;
  expect(document).toMatchObject({ from: '2026-11-01', to: '2026-11-30', zone: 'Africa/Nairobi' });
  expect(document.accounts).toMatchObject([{ total: { charged: '1.60' }, balance: { unexplained: '0.00' } }]);
});

it('the day is that of TUMA_ZONE', async () => {
  const { env } = await told();
  // 09:00 in Nairobi is the evening before in Honolulu.
  const ran = await tuma(['statement', '--from', '2026-11-26', '--to', '2026-11-26', '--json'], {
    env: { ...env, TUMA_ZONE: 'Pacific/Honolulu' },
  });
  expect((JSON.parse(ran.stdout) as Statement).accounts[0]?.total.sent).toBe(2);
});

it('without --from it begins on the first of the month that --to is in', async () => {
  const { env } = await told();
  const ran = await tuma(['statement', '--to', '2026-11-27', '--json'], { env });
  expect(JSON.parse(ran.stdout)).toMatchObject({ from: '2026-11-01', to: '2026-11-27' });
});

it.each([
  [['--from', 'yesterday'], '"yesterday" is no day.', '--from'],
  [['--to', '2026-02-30'], '"2026-02-30" is no day.', '--to'],
  [['--from', '2026-11-28', '--to', '2026-11-27'], '2026-11-27 is before 2026-11-28.', '--from'],
  [
    ['--from', '1026-11-28', '--to', '2026-11-27'],
    '1026-11-28 to 2026-11-27 is more than ten years.',
    '--from',
  ],
])('%j is refused', async (flags, message, where) => {
  const { code, stdout, stderr } = await tuma(['statement', ...flags, '--json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', message, where } });
});
