// `npm run size`: how large the house is. Information only: no test holds it against a limit.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the sources below `src` come to, `.ts` and `.sql` alike. */
interface Size {
  lines: number;
  files: number;
  /** Files of fewer than `SMALL_LINES` lines. */
  smallFiles: number;
  migrations: number;
  /** Files of the fullest folder. */
  filesInFolder: number;
  filesAtRoot: number;
}

const SMALL_LINES = 25;

/** Measures the sources below the root of the project. */
function measure(root: string): Size {
  const src = join(root, 'src');
  const paths = globSync('**/*.{ts,sql}', { cwd: src });
  const lines = paths.map((path) => readFileSync(join(src, path), 'utf8').split('\n').length - 1);
  const folders = new Map<string, number>();
  for (const path of paths) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
  return {
    lines: lines.reduce((sum, count) => sum + count, 0),
    files: paths.length,
    smallFiles: lines.filter((count) => count < SMALL_LINES).length,
    migrations: paths.filter((path) => path.includes('/migrations/')).length,
    filesInFolder: Math.max(...folders.values()),
    filesAtRoot: folders.get('.') ?? 0,
  };
}

for (const [name, now] of Object.entries(measure(join(import.meta.dirname, '..'))))
  console.log(`${name.padEnd(16)}${String(now).padStart(8)}`);
