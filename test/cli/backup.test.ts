import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../src/cli/commands/backup.ts';
import type { Context } from '../../src/cli/context.ts';
import { makeTempDir } from '../support/temp-home.ts';

it('what a killed backup left is removed by the next one to that name, a day later, and nothing else', async () => {
  const folder = makeTempDir();
  const killed = ['copy.db.7.0a1b2c3d.partial', 'copy.db.7.0a1b2c3d.partial-journal'];
  const others = ['copy-db.7.0a1b2c3d.partial', 'copy.db.old.partial', 'old.copy.db.7.0a1b2c3d.partial'];
  const running = 'copy.db.8.0a1b2c3d.partial';
  for (const name of [...killed, ...others, running]) writeFileSync(join(folder, name), '');
  const longAgo = Date.now() / 1_000 - 90_000;
  for (const name of [...killed, ...others]) utimesSync(join(folder, name), longAgo, longAgo);
  const context = {
    reader: async () => undefined,
    ledger: async () => ({ backup: async (file: string) => writeFileSync(file, '') }),
    output: { result: () => undefined },
  } as unknown as Context;

  expect(await command.run(context, { args: [join(folder, 'copy.db')], flags: {} })).toBe(0);
  expect(readdirSync(folder)).toEqual([...others, running, 'copy.db'].toSorted());
});
