import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';

interface Entry {
  version?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const lock: Record<string, Entry> = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
).packages;
const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'];

/** The entry that `name` resolves to from the package at `from`: its own node_modules, else that of a parent. */
function resolve(from: string, name: string): Entry | undefined {
  const parents = from.split('/node_modules/');
  while (parents.length > 0) {
    const entry = lock[`${parents.join('/node_modules/')}/node_modules/${name}`];
    if (entry) return entry;
    parents.pop();
  }
  return lock[`node_modules/${name}`];
}

test('every dependency is pinned to one version, and the lockfile is of the same mind', () => {
  const pins = GROUPS.flatMap((group) => Object.entries<string>(manifest[group]));
  expect(pins.length).toBeGreaterThan(20);
  expect(pins.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(pins.filter(([name, version]) => resolve('', name)?.version !== version)).toEqual([]);
});

// A registry that lacks one platform package makes npm leave it out, and then `npm ci` fails on every machine.
test('whatever a package offers for some platform is in the lockfile', () => {
  const missing = Object.entries(lock).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => resolve(path, name) === undefined),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(lock).filter((path) => path.includes('@rolldown/binding-')).length).toBeGreaterThan(10);
});

test('every locked package has its hash', () => {
  const paths = Object.keys(lock).filter((path) => path !== '');
  expect(paths.filter((path) => !lock[path]?.integrity)).toEqual([]);
});

test('packages with an install script are those that are known and not allowed to run one', () => {
  const withScript = Object.keys(lock).filter((path) => lock[path]?.hasInstallScript);
  const names = withScript.map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  const known = new Set([...Object.keys(manifest.allowScripts), 'fsevents']);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(Object.values(manifest.allowScripts)).not.toContain(true);
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
});
