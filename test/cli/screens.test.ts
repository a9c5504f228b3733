import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { displayWidth } from '../../src/cli/text/table.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';

/* The screens that a person meets, as files in test/golden: `npx vitest run -u test/cli/screens.test.ts` writes them anew. */

const WIDTHS = [60, 80, 120];
const SCREENS = [
  ['status', ['status']],
  ['status-one', ['status', 'black-friday']],
  ['report', ['report', 'black-friday']],
  ['statement', ['statement', '--from', '2026-11-01', '--to', '2026-11-30']],
  ['evidence', ['resolve', 'black-friday', '--evidence']],
  ['plan', ['plan', 'promo.yaml']],
  ['inbox', ['inbox']],
  ['optouts', ['optouts', 'list']],
] as const;
/** Drawn with colours, too. */
const COLOURED = ['report', 'plan'];

let env: Record<string, string>;

/** A campaign with every fate on two networks, and one with a long name that has not begun. */
beforeAll(async () => {
  const story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory, TUMA_RATE: 'unlimited' };
  const n = await story.launch({ messages: 6, estimatedMicro: 4_800_000 });
  await story.readBalance(100_000_000);
  story.now += 1_000;
  await story.claim();
  story.now += 5_000;
  await story.record(n, {
    1: { to: 'sent', network: '1' },
    2: { to: 'sent', network: '2' },
    3: { to: 'sent', network: '1' },
    4: { to: 'rejected', reason: 'contact refused' },
    5: { to: 'uncertain', reason: 'worker died' },
    6: { to: 'uncertain', reason: 'worker died' },
  });
  story.now += 1_000;
  await story.report(`m${n}-1`, 'delivered');
  await story.report(`m${n}-2`, 'undelivered', 'absent');
  await story.readBalance(96_800_000);
  await story.launch({
    id: 'k7m2p9qa',
    name: 'newsletter of december 🎄',
    contacts: 'd',
    messages: 1_200,
  });
  for (const [message, mobile] of [
    [
      'Bei gani? Naomba mnitumie orodha yote ya bidhaa zenu za wiki hii kabla ya Jumamosi, asante sana 🙏',
      '254700000001',
    ],
    ['ACHA', '254700000002'],
  ])
    await postTo(
      story,
      { event: 'sms.received', mobile, shortcode: 'DUKA', message, received_at: '2026-11-27T09:00:00+03:00' },
      { ip: '127.0.0.1' },
    );
  process.chdir(story.directory);
  const rows = [
    '0712345678,Zoë Müller',
    '0712345679,Njoroge',
    'nobody,Bob',
    '+447400123456,John',
    '0712345678,Zoë',
  ];
  writeFileSync(join(story.directory, 'c.csv'), Buffer.from(`Simu,Jina\n${rows.join('\n')}\n`, 'latin1'));
  writeFileSync(
    join(story.directory, 'promo.yaml'),
    'name: promo\nkind: promotional\nsender: DUKA\ncontacts: c.csv\ncolumns: { name: Jina }\nwindow: always\nmessage: "Habari <<name>>, wiki hii bidhaa zote zimepunguzwa bei kwa asilimia ishirini. Karibu dukani kwetu Jumamosi!"\n',
  );
});
const before = process.cwd();
afterAll(() => process.chdir(before));

/** Each plan writes rejects of its own. */
const steady = (screen: string) => screen.replace(/rejects(-\d+)?\.csv/, 'rejects.csv');

describe.each(SCREENS)('%s', (name, args) => {
  it.each(WIDTHS)('at %i columns', async (columns) => {
    const plain = { ...env, NO_COLOR: '1' };
    const { stdout } = await tuma([...args], { env: plain, columns });
    await expect(steady(stdout)).toMatchFileSnapshot(`../golden/${name}-${columns}.txt`);
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
  });
});

describe.each(SCREENS.filter(([name]) => COLOURED.includes(name)))('%s', (name, args) => {
  it('with colours', async () => {
    // The streams of this process are no terminal.
    vi.stubEnv('FORCE_COLOR', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout } = await tuma([...args], { env, columns: 80 });
    await expect(steady(stdout)).toMatchFileSnapshot(`../golden/${name}-80-colour.txt`);
    expect(stdout).toContain('\u001b[');
    // Without the colours it is the same screen.
    vi.unstubAllEnvs();
    const { stdout: plain } = await tuma([...args], { env: { ...env, NO_COLOR: '1' }, columns: 80 });
    expect(steady(stripVTControlCharacters(stdout))).toBe(steady(plain));
  });
});
