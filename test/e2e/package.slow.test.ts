import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the packed tarball, installed into an empty prefix, is a tuma that plans a campaign', () => {
  const folder = makeTempDir();
  const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  npm(['run', 'pack', '--', '--silent', '--pack-destination', folder], ROOT);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  npm(['install', '--global', '--prefix', join(folder, 'prefix'), join(folder, tarball)], folder);

  const work = join(folder, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'people.csv'), 'name,phone\nAmina,0712345678\n');
  writeFileSync(
    join(work, 'job.yaml'),
    'name: first\nkind: transactional\nsender: DUKA\nmessage: Hi <<name>>\ncontacts: people.csv\n',
  );
  const tuma = join(folder, 'prefix/bin/tuma');
  // Only the shell's own paths: the Node of this machine must not be needed.
  const env = { PATH: '/usr/bin:/bin', HOME: folder };
  const plan = execFileSync(tuma, ['plan', 'job.yaml', '--json'], { cwd: work, encoding: 'utf8', env });
  expect(JSON.parse(plan)).toMatchObject({ rows: { read: 1, planned: 1 }, examples: [{ line: 2 }] });
}, 300_000);
