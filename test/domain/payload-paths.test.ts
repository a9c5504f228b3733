import { expect, it } from 'vitest';
import { pathText, readPath } from '../../src/domain/payload-paths.ts';

it.each([
  ['data.msgId', 'data.msgId'],
  ['$.data.msgId', 'data.msgId'],
  ['$.results[0].status', 'results[].status'],
  ['results[].status', 'results[].status'],
  ['$[3].id', 'id'],
  ['?status', 'status'],
  [' a [1][2] . b ', 'a[].b'],
])('reads %j as a person or inspect writes it', (text, path) => {
  expect(pathText(readPath(text) ?? [])).toBe(path);
});

it.each(['', ' ', '$', '.', 'a..b', 'a.', '.a', 'a[b]', 'a]', '[0]', 'a[0]b', `a.${'b'.repeat(300)}`])(
  'takes %j for no path',
  (text) => {
    expect(readPath(text)).toBeNull();
  },
);
