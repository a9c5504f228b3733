import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

it('makes the tables of a ledger, and changes nothing the next time', async () => {
  const home = join(makeTempDir(), 'home');
  const env = { TUMA_HOME: home };
  const made = await tuma(['migrate', '--json'], { env });
  expect(made.code).toBe(0);
  expect(JSON.parse(made.stdout)).toMatchObject({ schema: 1, ledger: join(home, 'ledger.db') });
  expect(existsSync(join(home, 'ledger.db'))).toBe(true);
  expect((await tuma(['migrate', '--json'], { env })).stdout).toBe(made.stdout);
  expect((await tuma(['migrate'], { env })).stdout).toContain('has schema 1, on SQLite');
});
