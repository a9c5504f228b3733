import { readFileSync } from 'node:fs';

/** The version of this program, as its package.json has it: beside `src` in a clone, beside `dist` in a package. */
export function versionOfTuma(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
