import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeTempDir } from '../../support/temp-home.ts';
import { tuma } from '../command-line.ts';

/* Commands that write, given in a folder that is not the one of the campaigns. */

let home: string;
beforeEach(() => {
  home = makeTempDir();
  writeFileSync(join(home, 'list.csv'), 'phone\n0712345678\n');
});

const run = (...args: string[]) => tuma(args, { env: { TUMA_HOME: home, XDG_STATE_HOME: home } });

it.each([
  { args: ['optouts', 'add', '0712345678'] },
  { args: ['optouts', 'import', 'list.csv'] },
  { args: ['webhooks', 'map', 'Huh', 'delivered'] },
])('that begins a new ledger is told where: $args', async ({ args }) => {
  const given = args.map((arg) => (arg === 'list.csv' ? join(home, arg) : arg));
  const begun = `A new ledger was begun at ${join(home, 'ledger.db')}.`;
  const first = await run(...given);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(begun) });
  expect(first.stdout).not.toContain(begun);
  expect((await run(...given)).stderr).not.toContain('A new ledger');
});

it.each([
  { args: ['optouts', 'remove', '0712345678'] },
  { args: ['webhooks', 'replay'] },
  { args: ['webhooks', 'void', '--from', '203.0.113.9', '--yes'] },
])('that can find nothing in a new ledger begins none: $args', async ({ args }) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining('There is no ledger here')]);
  expect(existsSync(join(home, 'ledger.db'))).toBe(false);
});
