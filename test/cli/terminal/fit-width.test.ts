import { expect, test } from 'vitest';
import { fitted } from '../../../src/cli/terminal/fit-width.ts';

test('long lines are broken between words, behind the beginning of their line', () => {
  const words = 'one two three four five six seven eight nine ten';
  expect(fitted(`  ${words}\nshort`, 40)).toBe(
    '  one two three four five six seven\n      eight nine ten\nshort',
  );
});

test('a word stays whole, colours take no room, and a tiny terminal gets the lines as they are', () => {
  const path = `/srv/${'x'.repeat(60)}`;
  expect(fitted(`the file ${path} is there`, 40)).toBe(`the file\n    ${path}\n    is there`);
  const green = `\u001b[32m${'a'.repeat(38)}\u001b[39m`;
  expect(fitted(green, 40)).toBe(green);
  expect(fitted('one two three', 5)).toBe('one two three');
});
