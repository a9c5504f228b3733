import { expect, it } from 'vitest';
import { roundsOf } from '../../../src/ledger/decide/rounds.ts';

it('one round where all keys differ, and else as many as a key occurs, each key in its order', () => {
  const rounds = (...words: string[]) => roundsOf(words, (word) => word.slice(1).split(''));
  expect(rounds()).toEqual([]);
  expect(rounds('1a', '2b', '3c')).toEqual([['1a', '2b', '3c']]);
  expect(rounds('1a', '2b', '3a', '4a', '5b')).toEqual([['1a', '2b'], ['3a', '5b'], ['4a']]);
  // A later item waits for all that it shares a key with.
  expect(rounds('1a', '2ab', '3b', '4c')).toEqual([['1a', '4c'], ['2ab'], ['3b']]);
});
