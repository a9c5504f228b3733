import { expect, test } from 'vitest';
import { wishReader } from '../src/domain/opt-out-words.ts';
import { maskText } from '../src/domain/mask.ts';
import { parseMobile } from '../src/domain/mobile.ts';
import { parseMoney } from '../src/domain/money.ts';
import { printable } from '../src/domain/printable.ts';
import { defaultProfile } from '../src/provider/profiles/default.ts';
import { webhookParser } from '../src/provider/webhooks.ts';
import { neutralise } from '../src/domain/spreadsheet.ts';

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

test.each(Object.entries(READERS))('X27 no run of 100,000 characters holds %s up', (_what, read) => {
  const begun = performance.now();
  for (const run of RUNS) {
    const long = run.repeat(LENGTH / run.length);
    for (const text of [long, `${long}!`, `!${long}`, `{"messageid":"${long}`]) read(text);
  }
  // An expression that tries again and again would take minutes for one of them.
  expect(performance.now() - begun).toBeLessThan(10_000);
});
