import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeFlags } from '../bench/tuma.ts';
import { ROOT } from './support/processes.ts';

test('npm start and the benches run under the flags that bin/tuma gives to Node', () => {
  const flags = nodeFlags();
  expect(flags).toContain('--max-semi-space-size=4');
  const start = readFileSync(`${ROOT}/scripts/run.mjs`, 'utf8');
  for (const flag of flags) expect(start).toContain(`'${flag}'`);
});
