// Emits JavaScript to dist/ for `npm pack`: Node does not strip types below node_modules. What is not TypeScript (the
// SQL, the pages) is copied to the same place.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = join(root, 'node_modules/.bin/tsc');
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
cpSync(join(root, 'src'), join(root, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
