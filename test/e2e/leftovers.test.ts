import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { jobFile, openPlace, TUMA } from './harness.ts';

/* What a killed command leaves of the contacts: the next command of any kind removes it. */

const place = openPlace();

test('a killed plan leaves no copy of its contacts behind the next command, and a living one keeps its own', async () => {
  place().write('job.yaml', jobFile({ message: 'Hi <<name>>' }));
  const start = () =>
    startProcess(TUMA, ['plan', 'job.yaml', '--contacts', '-'], {
      cwd: place().directory,
      env: place().env,
      keepsInput: true,
    });
  const temporary = join(place().home, 'tmp');
  const copyOf = (pid: number) =>
    waitFor(
      () => {
        const own = readdirSync(temporary).find(
          (name) => name.startsWith(`${pid}-`) && !name.endsWith('.lock'),
        );
        if (own === undefined) return null;
        const folder = join(temporary, own);
        const copies = readdirSync(folder, { recursive: true, encoding: 'utf8' });
        const file = copies.map((name) => join(folder, name)).find((name) => name.endsWith('.csv'));
        return file !== undefined && readFileSync(file, 'utf8').includes('0712345678') ? file : null;
      },
      { what: 'a copy of the contacts' },
    );
  const [killed, living] = [start(), start()];
  for (const plan of [killed, living]) plan.type('phone,name\n0712345678,Ann\n');
  const left = await copyOf(killed.pid);
  const used = await copyOf(living.pid);
  await killed.stop('SIGKILL');
  expect(existsSync(left)).toBe(true);

  await place().tuma(['optouts', 'list']);
  expect(existsSync(left)).toBe(false);
  expect(existsSync(used)).toBe(true);
  living.endInput();
  expect(await living.exited).toMatchObject({ code: 0 });
  expect(existsSync(temporary)).toBe(false);
});
