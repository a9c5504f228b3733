import { expect, test } from 'vitest';
import { pages, readPage } from './support/markdown.ts';

/* The pages stay short enough to be read. */

const wordsOf = (paths: string[]) => paths.flatMap((path) => readPage(path).match(/\S+/g) ?? []).length;
const linesOf = (path: string) => readPage(path).trimEnd().split('\n').length;

test('the README has at most 1,100 words', () => {
  expect(wordsOf(['README.md'])).toBeLessThanOrEqual(1_100);
});

test('README and docs together have at most 20,000 words', () => {
  const counted = pages().filter((path) => path === 'README.md' || path.startsWith('docs/'));
  expect(counted.length).toBeGreaterThan(20);
  expect(wordsOf(counted)).toBeLessThanOrEqual(20_000);
});

test.each([
  ['CHANGELOG.md', 60],
  ['docs/architecture.md', 120],
])('%s has at most %i lines', (path, most) => {
  expect(linesOf(path)).toBeLessThanOrEqual(most);
});

test('the README names Daily work as the first page to read', () => {
  const [, list = ''] = readPage('README.md').split('## Where to read on\n');
  expect(/\]\((docs\/[^)]*)\)/.exec(list)?.[1]).toBe('docs/daily-work.md');
});
