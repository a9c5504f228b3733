import { expect, test } from 'vitest';
import { HIGHEST } from './matrix.ts';
import { SECURITY, SECURITY_TO_COME } from './security.ts';
import { readPage } from './support/markdown.ts';
import { idsInTitles } from './support/titled-ids.ts';

/* Every item of the security list has a test that says so, and the page names only what is on the list. */

test('every item has a test whose title begins with its id; what is to come is a part of one', () => {
  const named = idsInTitles();
  expect(Object.keys(SECURITY).filter((id) => !named.has(id))).toEqual([]);
  expect(Object.keys(SECURITY_TO_COME).filter((id) => !(id in SECURITY))).toEqual([]);
  expect(Object.keys(SECURITY)).toHaveLength(HIGHEST.X);
});

test('docs/security.md names items of the list, and every one that is held', () => {
  const named = new Set(readPage('docs/security.md').match(/\bX\d+\b/g));
  expect([...named].filter((id) => !(id in SECURITY))).toEqual([]);
  expect(Object.keys(SECURITY).filter((id) => !named.has(id))).toEqual([]);
});
