import { expect, test } from 'vitest';
import { LIMITS, measure } from '../scripts/size.ts';
import { ROOT } from './support/processes.ts';

test('the sources stay within the limits of scripts/size.ts', () => {
  const size = measure(ROOT);
  expect(size.files).toBeGreaterThan(100);
  for (const [name, most] of Object.entries(LIMITS)) {
    expect(size[name as keyof typeof LIMITS], name).toBeLessThanOrEqual(most);
  }
});
