import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';

/**
 * The project with no home of its own. The installed packages are only lent to it, so nothing here may run npm: the
 * program is the one that `npm start` becomes.
 */
export function copyProject(): string {
  const root = join(makeTempDir('disk'), 'tuma');
  mkdirSync(root);
  for (const part of ['src', 'jobs', 'templates', 'package.json'])
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  if (existsSync(join(ROOT, '.runtime'))) symlinkSync(join(ROOT, '.runtime'), join(root, '.runtime'));
  return root;
}
