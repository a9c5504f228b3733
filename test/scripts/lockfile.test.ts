import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const lock: Record<string, Entry> = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
).packages;
const REGISTRY = 'https://registry.npmjs.org/';
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

test('every dependency is pinned to one version, and the lockfile is of the same mind [X30]', () => {
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

test('every locked package has its hash, and comes from nowhere but the registry [X30]', () => {
  const paths = Object.keys(lock).filter((path) => path !== '');
  expect(paths.filter((path) => !lock[path]?.integrity?.startsWith('sha512-'))).toEqual([]);
  // Without an address of its own a package comes from the registry that npm is set to.
  const elsewhere = paths.filter((path) => !(lock[path]?.resolved ?? REGISTRY).startsWith(REGISTRY));
  expect(elsewhere).toEqual([]);
});

test('packages with an install script are those that are known and not allowed to run one [X30]', () => {
  const withScript = Object.keys(lock).filter((path) => lock[path]?.hasInstallScript);
  const names = withScript.map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  const known = new Set([...Object.keys(manifest.allowScripts), 'fsevents']);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(Object.values(manifest.allowScripts)).not.toContain(true);
});

test('npm runs no script of a package, and takes none from a git address [X30]', () => {
  const lines = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['ignore-scripts=true', 'allow-git=none']));
});

/** Below these, what Tuma leans on does not hold: lost wake-ups, answers of other messages, types that slip through, and code from text. */
const OLDEST: Record<string, string> = {
  bullmq: '6.3.3',
  undici: '8.5.0',
  fastify: '5.8.5',
  handlebars: '4.7.10',
};

test('packages with known holes are newer than these [X30 X7]', () => {
  const parts = (version: string) => version.split('.').map(Number);
  const isOlder = (version: string, than: string) => {
    const [have, want] = [parts(version), parts(than)];
    const first = want.findIndex((part, index) => part !== have[index]);
    return first !== -1 && (have[first] ?? 0) < (want[first] ?? 0);
  };
  expect([isOlder('8.4.9', '8.5.0'), isOlder('8.5.0', '8.5.0'), isOlder('10.0.0', '9.9.9')]).toEqual([
    true,
    false,
    false,
  ]);
  for (const [name, oldest] of Object.entries(OLDEST))
    expect(isOlder(manifest.dependencies[name], oldest), name).toBe(false);
});

test('a packed tarball holds a list of folders, none with tests, settings or ledgers [X31]', () => {
  expect(manifest.files.toSorted()).toEqual(['bin', 'deploy', 'dist', 'docs', 'jobs', 'templates']);
  const scripts = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
  expect(scripts.filter((name) => name in manifest.scripts)).toEqual([]);
});
