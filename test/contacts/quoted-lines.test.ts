import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextQuotedLine } from '../../src/contacts/quoted-lines.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';

/** Where a cell starts with a mark; behind a letter of another script only csv-parse can tell. */
const MAY_OPEN = /(?:^|,|[^\0-\x7f])[\0-\x20]*"/;

function firstQuotedLine(text: string, from: number): number {
  let at = from;
  for (const line of text.slice(from).split(/(?<=\r\n|\n|\r(?!\n))/)) {
    if (MAY_OPEN.test(line)) return Buffer.byteLength(text.slice(0, at));
    at += line.length;
  }
  return Buffer.byteLength(text);
}

test('a line is csv-parse’s if a cell of it may start with a quotation mark, and no line before it is', () => {
  const pieces = fc.constantFrom(
    '"',
    '"',
    ',',
    ' ',
    '\t',
    'a',
    '!',
    '6" pipe',
    '\u00a0',
    '\n',
    '\n',
    '\r\n',
    '\r',
  );
  const texts = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.nat({ max: 3 }), (text, line) => {
      const from = text
        .split(/(?<=\n)/)
        .slice(0, line)
        .join('').length;
      const bytes = Buffer.from(text);
      const start = Buffer.byteLength(text.slice(0, from));
      expect(nextQuotedLine(bytes, start, ',')).toBe(firstQuotedLine(text, from));
    }),
    { numRuns: fuzzRuns(1_000) },
  );
});
