// `npm run size`: how large the house is. `test/size.test.ts` fails past the limits.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the sources below `src` come to, `.ts` and `.sql` alike. */
export interface Size {
  lines: number;
  files: number;
  /** Files of fewer than `SMALL_LINES` lines. */
  smallFiles: number;
  migrations: number;
  /** Files of the fullest folder; the folders of `LARGER_FOLDERS` do not count. */
  filesInFolder: number;
  filesAtRoot: number;
}

/** A file below this needs a reason of its own. */
export const SMALL_LINES = 25;
/** The second database will split this folder. */
const LARGER_FOLDERS = ['ledger/sqlite'];

/** The most that each figure may be. */
export const LIMITS: Omit<Size, 'files'> = {
  // 43,500 for the plain house, and the rest for everyday use: spreadsheets, countries, pictures, series, files that are read anew.
  lines: 46_000,
  smallFiles: 25,
  migrations: 1,
  filesInFolder: 26,
  filesAtRoot: 4,
};

/** Measures the sources below the root of the project. */
export function measure(root: string): Size {
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
    filesInFolder: Math.max(
      ...[...folders].map(([folder, count]) => (LARGER_FOLDERS.includes(folder) ? 0 : count)),
    ),
    filesAtRoot: folders.get('.') ?? 0,
  };
}

if (import.meta.main) {
  const size = measure(join(import.meta.dirname, '..'));
  console.log(`${'figure'.padEnd(16)}${'now'.padStart(8)}${'most'.padStart(8)}`);
  for (const [name, now] of Object.entries(size)) {
    const most = name in LIMITS ? LIMITS[name as keyof typeof LIMITS] : '';
    console.log(`${name.padEnd(16)}${String(now).padStart(8)}${String(most).padStart(8)}`);
  }
}
