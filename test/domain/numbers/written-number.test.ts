import { expect, test } from 'vitest';
import { numberIn } from '../../../src/domain/numbers/written-number.ts';

const ONE = '254700000001';

test.each([
  ['{"to":"+254 700 000 001"}', true, false],
  ['to=%2B254700000001&at=2026-03-01', true, false],
  ['call 0700-000-001', true, false],
  ['(0)700 000 001', true, false],
  ['[{"to":"254700000001"},{"to":"254 700 000 002"}]', true, true],
  ['254700000001 254700000002', true, true],
  ['2026-03-01 254700000001', true, false],
  ['{"to":"255700000001"}', false, true],
  ['{"to":"00255 700 000 001"}', false, true],
  ['{"balance":12}', false, false],
])('%s names the number: %s, and another: %s', (text, isNamed, hasAnother) => {
  expect(numberIn(text, ONE)).toEqual({ isNamed, hasAnother });
});
