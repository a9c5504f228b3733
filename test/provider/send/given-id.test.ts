import { expect, test } from 'vitest';
import { isGivenId } from '../../../src/provider/send/read-answer.ts';

test('what stands in the place of no id is none, however it is written', () => {
  const words =
    'none null nil nill n/a na nan undefined false empty unknown error failed failure rejected invalid noid not-available notfound';
  const spaced = ['no id', 'no-id', 'no_id', 'not found', 'not_sent', 'not set', 'not available'];
  const signs = ['-1', '0', '00', '0.0', '-0', '00000000-0000-0000-0000-000000000000', '-', '""', '', ' '];
  for (const text of [...words.split(' '), ...spaced, ...signs])
    for (const written of [text, text.toUpperCase(), ` ${text}\n`])
      expect([written, isGivenId(written)]).toEqual([written, false]);
  for (const written of ['<none>', '[null]', '"0"', '(not found)', 'Failed!'])
    expect([written, isGivenId(written)]).toEqual([written, false]);
  expect([isGivenId(null), isGivenId(undefined)]).toEqual([false, false]);
});

test('an id may be all letters, hold such a word, or begin with a zero', () => {
  for (const id of [
    'qWxAbc',
    'none1',
    '7none',
    'nullable',
    'x-1',
    '-12',
    '01',
    '0a',
    '0-0-5',
    '1',
    'é',
    'Ω',
    'not',
    'senté',
  ])
    expect([id, isGivenId(id)]).toEqual([id, true]);
});
