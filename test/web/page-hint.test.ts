import { expect, test } from 'vitest';
import { pageHint } from '../../src/web/page-hint.ts';

test.each([
  ['Choose another time.', 'Choose another time.'],
  ['tuma plan shows the rows and what is wrong with them.', null],
  ['Top up, or launch with --partial: it pauses.', null],
  ['Name it `--new-ledger`.', null],
  ['A date such as 2026-11-27 -- or later.', 'A date such as 2026-11-27 -- or later.'],
  [null, null],
])('the advice %j is %j on a page', (hint, shown) => {
  expect(pageHint({ hint })).toBe(shown);
});
