import { beforeEach, expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';

const ONE = '254700000001';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let story: LedgerStory;
let env: Record<string, string>;
beforeEach(async () => {
  story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory, TUMA_DATABASE_URL: `sqlite:${story.file}` };
});

const run = (...args: string[]) => tuma(args, { env });
const json = async (...args: string[]) =>
  JSON.parse((await run(...args, '--json')).stdout) as Record<string, unknown>;

/** Messages that are sent, each with its id. */
async function sent(ids: string[], name = 'bf-1'): Promise<number> {
  const n = await story.launch({ id: name, messages: ids.length });
  await story.claim();
  await story.record(n, Object.fromEntries(ids.map((messageId, at) => [at + 1, { to: 'sent', messageId }])));
  return n;
}

const cases: [what: string, id: string, report: object, words: string][] = [
  [
    'in decimal',
    'ff01',
    { messageid: '65281', mobile: ONE },
    '65281; for its mobile we know ff01 (one is the other in hexadecimal)',
  ],
  [
    'in hexadecimal',
    '65281',
    { messageid: '0xFF01' },
    '0xFF01; an id that we know is 65281 (one is the other in hexadecimal)',
  ],
  [
    'in upper case, without a mobile',
    'ab-1',
    { messageid: 'AB-1' },
    'AB-1; an id that we know is ab-1 (upper and lower case differ)',
  ],
  [
    'without zeros, without a mobile',
    '0012',
    { messageid: '12' },
    '12; an id that we know is 0012 (leading zeros differ)',
  ],
  ['in no known form', '5f-3a', { messageid: 'zz9', mobile: ONE }, 'zz9; for its mobile we know 5f-3a'],
  ['of somebody else', '5f-3a', { messageid: 'zz9' }, 'zz9; an id that we know is 5f-3a'],
];

it.each(cases)(
  'a report whose id is %s is shown beside an id that we know',
  async (_what, id, report, words) => {
    await sent([id]);
    await postTo(story, { ...report, status: 'DeliveredToTerminal' });
    const shown = `1 delivery report fits no message, such as ${words}`;
    const list = await run('webhooks', 'list');
    expect(list.stdout).toContain(`${shown}.`);
    expect(list.stdout).not.toContain('Every webhook was understood');
    expect(list.stderr).toContain('reports.fields.message_id');
  },
);

it.each([
  ['an hour ago', 1, true],
  ['more than three days ago', 73, false],
])(
  'status and doctor show a report that came %s and fits no message: %s h',
  async (_when, hours, isShown) => {
    story.now = Date.now() - hours * HOUR_MS;
    await sent(['0012']);
    await postTo(story, { messageid: '12', status: 'DeliveredToTerminal' });
    const words =
      '1 delivery report fits no message, such as 12; an id that we know is 0012 (leading zeros differ)';
    for (const args of [['status'], ['status', 'bf-1']]) {
      const { stderr } = await run(...args);
      expect(stderr.includes(`${words}: tuma webhooks list`)).toBe(isShown);
      const { unmatched_reports: part } = await json(...args);
      const example = { reported: '12', known: '0012', same_mobile: false, differ_in: 'zeros', webhook: 1 };
      expect(part).toEqual(
        isShown
          ? { count: 1, ambiguous: 0, last_at: new Date(story.now).toISOString(), example }
          : { count: 0, ambiguous: 0, last_at: null, example: null },
      );
    }
    const { checks } = (await json('doctor')) as {
      checks: { name: string; state: string; detail: string }[];
    };
    expect(checks.find(({ name }) => name === 'reports')).toMatchObject(
      isShown
        ? { state: 'warn', detail: words }
        : { state: 'ok', detail: 'none of the last three days waits for its message' },
    );
  },
);

it.each([
  ['names another mobile', { mobile: '254700000009' }],
  ['has an id of two messages and no mobile', {}],
])('status, doctor and webhooks list show a report that %s', async (_what, fields) => {
  story.now = Date.now() - HOUR_MS;
  await sent(['m1']);
  if (!('mobile' in fields)) await sent(['m1'], 'bf-2');
  await postTo(story, { messageid: 'm1', status: 'DeliveredToTerminal', ...fields });
  const words = '1 delivery report has an id of ours but another mobile, or an id that several messages have';
  expect((await run('status')).stderr).toContain(`${words}: tuma webhooks list`);
  for (const args of [['status'], ['status', 'bf-1'], ['webhooks', 'list']]) {
    const { unmatched_reports: part } = await json(...args);
    expect(part).toMatchObject({ count: 0, ambiguous: 1, example: null });
  }
  const { checks } = (await json('doctor')) as { checks: { name: string }[] };
  const check = { name: 'reports', state: 'warn', detail: words, hint: 'tuma webhooks list' };
  expect(checks).toContainEqual(check);
  expect((await run('webhooks', 'list')).stdout).toContain(`${words}.`);
});

it('ids that several messages have are listed by webhooks list and verify', async () => {
  await sent(['m1', 'm2']);
  expect((await run('verify')).stderr).toBe('');
  story.now += MINUTE_MS;
  await sent(['m1', 'm2'], 'bf-2');
  await postTo(story, { messageid: 'm1', status: 'DeliveredToTerminal' });
  const ids = [
    { messageid: 'm1', messages: 2, undecided_reports: 1 },
    { messageid: 'm2', messages: 2, undecided_reports: 0 },
  ];
  expect((await json('webhooks', 'list'))['repeated_ids']).toEqual({ total: 2, ids });
  const { stdout } = await run('webhooks', 'list');
  expect(stdout).toMatch(/^ids that several messages have\tmessages\tundecided reports$/m);
  expect(stdout).toMatch(/^m1\t2\t1$/m);
  expect(await json('verify')).toMatchObject({ violations: [], repeated_ids: { total: 2, ids } });
  expect((await run('verify')).stderr).toContain('2 ids were given to several messages, such as m1 to 2');
});
