import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wishReader } from '../src/domain/text/opt-out-words.ts';
import { maskText } from '../src/domain/text/mask.ts';
import { parseMobile } from '../src/domain/numbers/mobile.ts';
import { parseMoney } from '../src/domain/money.ts';
import { printable, neutralise } from '../src/domain/text/printable.ts';
import { defaultProfile } from '../src/provider/profiles/default.ts';
import { webhookParser } from '../src/provider/webhooks/read-webhook.ts';
import { tuma } from './cli/command-line.ts';
import { postTo } from './cli/posted.ts';
import { LedgerStory } from './support/ledger-story.ts';
import { cpuMsOf } from './support/cpu-time.ts';

const LENGTH = 100_000;
/** What makes an expression try again and again: long runs that nearly fit. */
const RUNS = [
  '0',
  '07',
  '+',
  '-',
  ' ',
  '\t',
  '\n',
  '=',
  '{',
  '<',
  '"',
  '\\',
  'a',
  'STOP ',
  '1.',
  '1,',
  '()',
  '%41',
  '\u202e',
  'é',
  '😀',
];
const { words, return_words: back } = defaultProfile.opt_out;
const wishOf = wishReader({ stop: words, start: back });
const parse = webhookParser(defaultProfile.reports, { country: 'KE' });

/** Everything that reads the text of a stranger. */
const READERS: Record<string, (text: string) => unknown> = {
  'a number': (text) => parseMobile(text, 'KE'),
  'an amount': parseMoney,
  'a mask': maskText,
  'a screen': printable,
  'a reply': wishOf,
  'a cell': neutralise,
  'a webhook': (text) => parse({ query: text.slice(0, 10_000), body: Buffer.from(text) }),
};

test.each(Object.entries(READERS))('no run of 100,000 characters holds %s up [X27]', async (_what, read) => {
  const readAll = () => {
    for (const run of RUNS) {
      const long = run.repeat(LENGTH / run.length);
      for (const text of [long, `${long}!`, `!${long}`, `{"messageid":"${long}"}`]) read(text);
    }
  };
  // An expression that tries again and again would take minutes for one of them.
  expect(await cpuMsOf(readAll)).toBeLessThan(10_000);
});

/** Sets a title and a colour, begins a C1 sequence, turns the direction of the text, and ends a line of a terminal early. */
const CONTROLS = '\u001b]0;owned\u0007 \u001b[31m \u009b2J \u202egpj \u2066x\u2069 \u007f\u0000\r';
const CONTROL = /[[\p{Cc}\p{Bidi_Control}]--[\t\n]]/v;

describe('what strangers and contacts wrote controls no terminal [X35]', () => {
  /** A home in which everything that others name holds controls. */
  async function hostileHome(): Promise<LedgerStory> {
    const story = await LedgerStory.begin();
    const row = { key: `key${CONTROLS}`, fields: [`0700000001${CONTROLS}`, `Ann${CONTROLS}`] };
    const header = [`Phone${CONTROLS}`, 'First name'];
    const rows = [row, row, row, row].map((each, index) => ({ ...each, key: `${each.key}${index}` }));
    const facts = { name: `name${CONTROLS}`, account: `account${CONTROLS}`, settings: { header } };
    const n = await story.launch({ ...facts, rows });
    await story.readBalance(50_000_000, facts.account);
    await story.claim();
    await story.record(n, {
      1: { to: 'sent', network: `network${CONTROLS}`, messageId: `id${CONTROLS}` },
      2: { to: 'sent', network: null },
      3: { to: 'rejected', reason: `reason${CONTROLS}` },
      4: { to: 'uncertain', reason: `reason${CONTROLS}` },
    });
    await story.report(`id${CONTROLS}`, 'undelivered', `reason${CONTROLS}`);
    await story.report('unheard-of', null, `word${CONTROLS}`);
    const said = { shortcode: `sender${CONTROLS}`, message: `text${CONTROLS}` };
    await postTo(story, { event: 'sms.received', mobile: `nobody${CONTROLS}`, ...said });
    const entry = { source: 'operator' as const, sender: `sender${CONTROLS}`, evidence: `reason${CONTROLS}` };
    await story.ledger.addOptOuts([{ ...entry, mobile: '254700000009' }], story.now);
    return story;
  }

  const SHOWN = [
    'report bf-1',
    'report bf-1 --format json',
    'report bf-1 --format csv',
    'statement --from 2026-11-27 --to 2026-11-27',
    'inbox',
    'optouts list',
    'optouts list 0700000009',
    'webhooks list',
    'status bf-1',
    'resolve bf-1 --evidence',
  ];
  const FILED = [
    'report bf-1',
    'report bf-1 --format json',
    'report bf-1 --format csv',
    'export bf-1',
    'export bf-1 --format ndjson',
    'export bf-1 --format ndjson --as contacts --state sent',
    'inbox',
    'optouts export',
  ];

  test('in all that is printed and all that is written, in each format', async () => {
    const story = await hostileHome();
    const env = { TUMA_HOME: story.directory };
    for (const command of SHOWN)
      for (const flags of [[], ['--json'], ['--show-numbers']]) {
        const { code, stdout, stderr } = await tuma([...command.split(' '), ...flags], { env });
        const told = stdout + stderr;
        expect([code, told.length > 100], command).toEqual([0, true]);
        expect(told.replace(CONTROL, '<control>'), command).toBe(told);
      }
    for (const [index, command] of FILED.entries()) {
      const file = join(story.directory, `out-${index}`);
      const { code } = await tuma([...command.split(' '), '--out', file], { env });
      const text = readFileSync(file, 'utf8');
      expect([code, text.length > 100], command).toEqual([0, true]);
      expect(text.replace(CONTROL, '<control>'), command).toBe(text);
    }
  });

  test('and adds no line to a page', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2 });
    await story.claim();
    await story.record(n, {
      1: { to: 'sent', network: '7\nCharged  0.00' },
      2: { to: 'rejected', reason: 'no\n\tCharged  0.00' },
    });
    for (const page of ['report bf-1', 'statement --from 2026-11-27 --to 2026-11-27']) {
      const { stdout } = await tuma(page.split(' '), { env: { TUMA_HOME: story.directory } });
      expect(stdout, page).not.toMatch(/^\s*Charged {2}0\.00/m);
    }
  });
});
