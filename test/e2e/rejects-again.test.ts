import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jobFile, openPlace } from './harness.ts';

/* Rejects that are mended and launched, as docs/jobs.md says. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });

test('reach whom the first launch could not, and nobody twice', async () => {
  place().write('job.yaml', jobFile({ message: 'Hi <<name>>', contacts: './list.csv' }));
  place().write(
    'list.csv',
    'phone,name\n0711000951,Amina\n071100095,Bad\n+254711000951,Amina W.\n0711000952,Ben\n0711000952,B. Otieno\n',
  );
  await place().json(['launch', 'job.yaml', '--yes', '--wait']);
  const rejects = readFileSync(place().path('rejects.csv'), 'utf8');
  // The short number is mended, and one of the duplicates is meant after all: it is somebody else's.
  const mended = rejects
    .replace('071100095""",Bad', '0711000953""",Bad')
    .replace(/^"=""0711000952""",B\. Otieno,6,duplicate/m, '0711000954,B. Otieno,6,');
  expect(mended).not.toBe(rejects);
  place().write('mended.csv', mended);
  const again = [
    'launch',
    'job.yaml',
    '--contacts',
    'mended.csv',
    '--rejects',
    'left.csv',
    '--yes',
    '--wait',
  ];
  const { rows } = await place().json(again);
  expect(rows).toMatchObject({ read: 3, planned: 2, duplicate: 1, invalid: 0 });
  expect(place().sandbox.stats().accepted).toBe(4);
  expect(readFileSync(place().path('left.csv'), 'utf8')).toMatch(
    /\n"=""\+254711000951""",Amina W\.,3,duplicate,/,
  );
});

test('are launched where they stand, and what is left of them stands beside', async () => {
  place().write('again.yaml', jobFile({ name: 'again', message: 'Hi <<name>>', contacts: './list.csv' }));
  place().write('list.csv', 'phone,name\n0711000961,Amina\n071100096,Bad\n07110,Worse\n');
  await place().json(['launch', 'again.yaml', '--yes', '--wait']);
  // The test before wrote rejects.csv.
  const rejects = readFileSync(place().path('rejects-2.csv'), 'utf8');
  place().write('rejects-2.csv', rejects.replace('071100096""",Bad', '0711000962""",Bad'));
  const launched = ['launch', 'again.yaml', '--contacts', 'rejects-2.csv', '--yes', '--wait'];
  const { rows } = await place().json(launched);
  expect(rows).toMatchObject({ read: 2, planned: 1, invalid: 1 });
  expect(readFileSync(place().path('rejects-3.csv'), 'utf8')).toMatch(/\n"=""07110""",Worse,3,/);
});
