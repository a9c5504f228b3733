import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

it('X15 what nobody sees in a name is told by the numbers of its characters and the rows, and turns no text around', async () => {
  const folder = makeTempDir();
  const names = ['Ann', '\u202eBob', 'Carol\u2066\u2069', 'Wanjik\u0169', 'Dan\u200b', 'Eve\u202e'];
  const rows = names.map((name, index) => `07123456${10 + index},${name}\n`);
  writeFileSync(join(folder, 'c.csv'), `phone,name\n${rows.join('')}`);
  const job = join(folder, 'job.yaml');
  const keys = ['name: odd', 'kind: transactional', 'sender: DUKA', 'contacts: ./c.csv'];
  writeFileSync(job, `${keys.join('\n')}\nmessage: "Hi <<name>>, it is here."\n`);
  const { stdout } = await tuma(['plan', job], { env: { TUMA_HOME: join(folder, 'home') } });
  const told = stdout
    .split('\n')
    .flatMap((line) => /^ +\d+ {2}(\S+) {2}.*\((line .*)\)$/.exec(line)?.slice(1).join(': ') ?? []);
  expect(told).toEqual([
    'U+202E: line 3, 7',
    'U+2066: line 4',
    'U+2069: line 4',
    '\u0169: line 5',
    'U+200B: line 6',
  ]);
  expect(stdout).not.toMatch(/\p{Bidi_Control}/u);
});
