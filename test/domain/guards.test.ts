import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textHash } from '../../src/domain/guards.ts';

test('a text has one hash, which a number holds exactly, and another text has another', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(Number.isSafeInteger(textHash(one))).toBe(true);
      expect(textHash(one) === textHash(other)).toBe(one === other);
    }),
  );
});

test('it is the same in every version, for ledgers keep it', () => {
  expect(textHash('Hi Ann')).toBe(2527769421707289);
});
