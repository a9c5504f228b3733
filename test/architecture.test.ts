import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/processes.ts';

/** Who may import whom: the table of docs/architecture.md. A part is a folder of src. Every part may import itself. */
const MAY_IMPORT: Record<string, string[] | 'all but cli' | 'all'> = {
  domain: [],
  sandbox: [],
  contacts: ['domain'],
  provider: ['domain'],
  ledger: ['domain'],
  queue: ['domain', 'system/file-lock.ts'],
  campaign: [
    'domain',
    'contacts',
    'provider/provider.ts',
    'ledger/contracts',

    'queue/queue.ts',
  ],
  reports: [
    'domain',
    'ledger/contracts/answers.ts',
    'ledger/contracts/counters.ts',
    'ledger/contracts/finding.ts',
    'ledger/contracts/reader.ts',
    'ledger/contracts/records.ts',
    'ledger/contracts/replies.ts',
    'ledger/contracts/schedules.ts',
    'ledger/contracts/statement.ts',
  ],
  notify: ['domain'],
  collector: [
    'domain',
    'system/client-address.ts',
    'system/listen.ts',
    'campaign',
    'provider/webhooks/read-webhook.ts',
  ],
  web: [
    'domain',
    'campaign',
    'reports',
    'config',
    'contacts/limits.ts',
    'ledger/contracts/asked-from.ts',
    'system/client-address.ts',
    'system/listen.ts',
  ],
  cli: ['domain', 'campaign', 'reports', 'config', 'runtime', 'system/log.ts', 'system/temporary-folder.ts'],
  config: ['domain', 'ledger/sqlite/lost-ledger.ts'],
  system: ['domain', 'config'],
  runtime: 'all but cli',
  // `npm start`: the command line, the sandbox and its truth, put together in one process.
  sample: 'all',
};

/**
 * Contracts that a part may name in an `import type`, which leaves nothing behind when it runs: an interface is
 * declared by its user, so whoever implements or hands it on must name it.
 */
const MAY_NAME: Record<string, string[]> = {
  cli: ['ledger/contracts', 'provider/account/account-api.ts', 'provider/provider.ts', 'queue/queue.ts'],
  web: ['ledger/contracts', 'provider/account/account-api.ts', 'provider/provider.ts'],
  system: ['campaign/env.ts', 'ledger/contracts/records.ts'],
};

/** One owner a package: the parts, or files, that may import it. Whatever is not here may be imported by nobody. */
const PACKAGE_OWNERS: Record<string, string[]> = {
  bullmq: ['queue'],
  ioredis: ['queue'],
  // Outside of the ledger SQLite gives a file lock and no more: Node has no flock, and this one is never stale.
  'node:sqlite': ['ledger', 'system/file-lock.ts'],
  pg: ['ledger'],
  'csv-parse': ['contacts'],
  'csv-stringify': ['contacts'],
  yaml: ['campaign', 'config', 'sandbox'],
  undici: ['provider', 'notify', 'sandbox'],
  fastify: ['collector', 'web', 'sandbox'],
  '@fastify/cookie': ['web'],
  '@fastify/csrf-protection': ['web'],
  '@fastify/formbody': ['web'],
  '@fastify/helmet': ['web'],
  '@fastify/multipart': ['web'],
  '@fastify/rate-limit': ['web'],
  '@fastify/swagger': ['web'],
  'fastify-type-provider-zod': ['web'],
  // Types that fastify-type-provider-zod names.
  'openapi-types': ['web'],
  // Scripts of the pages, which a browser loads: src/web/assets serves the files of these two.
  'htmx.org': ['web'],
  uplot: ['web'],
  pino: ['system/log.ts'],
  'prom-client': ['runtime'],
  commander: ['cli'],
  handlebars: ['domain'],
  hucre: ['contacts', 'reports'],
  numfmt: ['contacts'],
  'libphonenumber-js': ['domain'],
  luxon: ['domain'],
  nodemailer: ['notify'],
  zod: Object.keys(MAY_IMPORT).filter((part) => part !== 'domain'),
};

/** Who may read the environment. */
const READS_ENVIRONMENT = ['config'];

/** Path below src to its text. */
type Sources = Map<string, string>;

function readSources(): Sources {
  const paths = globSync('**/*.ts', { cwd: join(ROOT, 'src') });
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, 'src', path), 'utf8')]));
}

interface Import {
  specifier: string;
  /** `import type`: gone when the program runs. */
  isType: boolean;
}

/** All that a file names in an import, an export from, a dynamic import, or as the file of a thread. */
function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  const patterns = [
    /^\s*(?:import|export)\b(?<type>\s+type\b)?[^'"`;=]*?\bfrom\s*['"](?<file>[^'"\n]+)['"]/gm,
    /^\s*import\s*['"](?<file>[^'"\n]+)['"]/gm,
    /\b(?:import|require)\s*\(\s*['"`](?<file>[^'"`\n]+)['"`]/g,
    /\bnew\s+URL\s*\(\s*['"`](?<file>\.[^'"`\n]+\.ts)['"`]/g,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups }) => ({
      specifier: groups?.['file'] ?? '',
      isType: groups?.['type'] !== undefined,
    })),
  );
}

function partOf(path: string): string {
  return path.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The path below src that a relative import names. */
function target(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier));
}

function mayImport(path: string, { specifier, isType }: Import): boolean {
  const part = partOf(path);
  const imported = target(path, specifier);
  const isListed = (list: string[]) =>
    list.some((each) => imported === each || imported.startsWith(`${each}/`));
  if (isType && isListed(MAY_NAME[part] ?? [])) return true;
  if (imported.startsWith('..')) return false;
  if (partOf(imported) === part) return true;
  const allowed = MAY_IMPORT[part] ?? [];
  if (allowed === 'all') return true;
  if (allowed === 'all but cli') return partOf(imported) !== 'cli';
  return isListed(allowed);
}

function mayUse(path: string, specifier: string): boolean {
  const name = packageOf(specifier);
  const owners = PACKAGE_OWNERS[name];
  if (owners === undefined) return isBuiltin(specifier);
  return owners.includes(partOf(path)) || owners.includes(path);
}

function forbiddenImports(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    for (const each of importsOf(text)) {
      const { specifier } = each;
      const isOurs = specifier.startsWith('.');
      const isAllowed = isOurs ? mayImport(path, each) : mayUse(path, specifier);
      if (!isAllowed) found.push(`${path} imports ${isOurs ? target(path, specifier) : specifier}`);
    }
  }
  return found;
}

function unknownParts(sources: Sources): string[] {
  return [...new Set([...sources.keys()].map(partOf))].filter((part) => !(part in MAY_IMPORT));
}

/** Each cycle of imports once, as the chain of its files. Types count: who reads the one file must read the other. */
function cycles(sources: Sources): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const chain: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push([...chain.slice(chain.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    chain.push(path);
    for (const { specifier } of importsOf(sources.get(path) ?? '')) {
      if (specifier.startsWith('.') && sources.has(target(path, specifier))) visit(target(path, specifier));
    }
    chain.pop();
    state.set(path, 'done');
  };
  for (const path of sources.keys()) visit(path);
  return found;
}

/** Exports that no comment ends right above. */
function undocumented(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) =>
      /^export (?![*{]|type \{)/.test(line) && !lines[index - 1]?.trimEnd().endsWith('*/')
        ? [`${path}:${index + 1}`]
        : [],
    );
  });
}

function missingFiles(sources: Sources): string[] {
  const relative = [...sources].flatMap(([path, text]) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith('.') && specifier.endsWith('.ts'))
      .map(({ specifier }) => target(path, specifier)),
  );
  return [...new Set(relative)].filter((path) => !sources.has(path));
}

function environmentReaders(sources: Sources): string[] {
  const readers = [...sources].filter(([, text]) => /process\s*(\.|\?\.|\[\s*['"])\s*env\b/.test(text));
  return readers.map(([path]) => path).filter((path) => !READS_ENVIRONMENT.includes(partOf(path)));
}

function barrels(sources: Sources): string[] {
  return [...sources.keys()].filter((path) => basename(path) === 'index.ts');
}

const planted = (files: Record<string, string>): Sources => new Map(Object.entries(files));

test('the scan finds the sources, and their imports name files that exist', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(10);
  expect([...sources.values()].flatMap((text) => importsOf(text)).length).toBeGreaterThan(20);
  expect(missingFiles(sources)).toEqual([]);
});

test('every folder of src is in the table', () => {
  expect(unknownParts(readSources())).toEqual([]);
});

test('no file imports what its part may not import', () => {
  expect(forbiddenImports(readSources())).toEqual([]);
});

test('there are no cycles of imports', () => {
  expect(cycles(readSources())).toEqual([]);
});

test('there are no barrels', () => {
  expect(barrels(readSources())).toEqual([]);
});

test('only the configuration reads the environment', () => {
  expect(environmentReaders(readSources())).toEqual([]);
});

test('every exported thing has a docstring', () => {
  expect(undocumented(readSources())).toEqual([]);
  expect(undocumented(new Map([['x.ts', 'const a = 1;\nexport const b = 2;\n']]))).toEqual(['x.ts:2']);
});

test('every package that src may import is a dependency, and the other way round', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const owned = Object.keys(PACKAGE_OWNERS).filter((name) => !isBuiltin(name));
  expect(owned.toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

test('only the tests of test/e2e and test/faults start the program, so that npm test is quick', () => {
  const starts = /import \{[^}]*\b(?:startNode|startTuma|tumaProcess)\b[^}]*\} from/;
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT });
  const others = tests.filter((file) => !/^test\/(?:e2e|faults)\//.test(file));
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter((file) => starts.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

/** Operations of the ledger that the pages and the API call themselves: the keys of requests, and a look at a rule. */
const CALLED_BY_WEB = new Set([
  'beginRequest',
  'answerRequest',
  'leaveRequest',
  'forgetRequest',
  'approvalNeeded',
]);

function ledgerCalls(text: string): string[] {
  return [...text.matchAll(/\bledger(?:\(\)\))?\.(\w+)\(/g)].map(([, called = '']) => called);
}

test('pages and API change the ledger by use cases only', () => {
  const files = globSync('src/web/**/*.ts', { cwd: ROOT });
  const calls = files.flatMap((file) => ledgerCalls(readFileSync(join(ROOT, file), 'utf8')));
  expect(calls).toContain('beginRequest');
  expect(calls.filter((called) => !CALLED_BY_WEB.has(called))).toEqual([]);
  expect(ledgerCalls('await (await env.ledger()).addOptOuts([x], now); ledger.pause(1, y);')).toEqual([
    'addOptOuts',
    'pause',
  ]);
});

test.each([
  ["import { x } from '../ledger/contracts/ledger.ts';", 'domain/money.ts'],
  ["import type { x } from '../ledger/contracts/ledger.ts';", 'reports/summary.ts'],
  ["import type {\n  x,\n  y,\n} from '../ledger/sqlite/open.ts';", 'campaign/launch.ts'],
  ["export { x } from '../provider/send.ts';", 'contacts/read.ts'],
  ["export * from '../domain/money.ts';", 'sandbox/server.ts'],
  ["const x = await import('../cli/main.ts');", 'runtime/services.ts'],
  ["import { x } from '../../scripts/x.ts';", 'runtime/services.ts'],
  ["import '../queue/bullmq-queue.ts';", 'campaign/launch.ts'],
  ["new Worker(new URL('../ledger/thread.ts', import.meta.url));", 'queue/queue.ts'],
  ["import { Redis } from 'ioredis';", 'ledger/contracts/ledger.ts'],
  ["import { Queue } from 'bullmq/dist/esm/classes';", 'runtime/services.ts'],
  ["import { z } from 'zod';", 'domain/plan.ts'],
  ["import x from '@scope/unknown/deep';", 'cli/main.ts'],
  ["import { DatabaseSync } from 'node:sqlite';", 'queue/queue.ts'],
  ["import { x } from '../system/log.ts';", 'config/config.ts'],
  ["import { x } from '../ledger/reader.ts';", 'cli/status.ts'],
  ["import type { x } from '../ledger/sqlite/open.ts';", 'cli/status.ts'],
  ["const x = 1;\n  export { y } from '../queue/queue.ts';", 'contacts/read.ts'],
])('a planted %j in %s is caught', (text, path) => {
  expect(forbiddenImports(planted({ [path]: text }))).toHaveLength(1);
});

test('what is allowed, or only written in a comment, is not reported', () => {
  const sources = planted({
    'campaign/launch.ts': "import type { Queue } from '../queue/queue.ts';\nimport { x } from './plan.ts';",
    'config/values.ts': "import { z } from 'zod';\nimport { y } from './config.ts';",
    'domain/money.ts':
      "// import x from '../ledger/contracts/ledger.ts'\n/* import y from 'ioredis' */\nconst url = 'a//b';",
    'cli/main.ts': "import { Command } from 'commander';\nimport { open } from '../runtime/services.ts';",
  });
  expect(forbiddenImports(sources)).toEqual([]);
});

test('planted cycles, unknown folders, missing files, barrels and readers of the environment are caught', () => {
  const sources = planted({
    'domain/a.ts': "import { b } from './b.ts';",
    'domain/b.ts': "export { a } from './a.ts';\nimport './gone.ts';",
    'domain/c.ts': "import type { d } from './d.ts';",
    'domain/d.ts': "import { c } from './c.ts';",
    'helpers/x.ts': "const key = process.env['HOME'];",
    'queue/index.ts': 'process.env.HOME;',
    'config/config.ts': 'process.env;',
  });
  expect(cycles(sources)).toEqual([
    'domain/a.ts → domain/b.ts → domain/a.ts',
    'domain/c.ts → domain/d.ts → domain/c.ts',
  ]);
  expect(unknownParts(sources)).toEqual(['helpers']);
  expect(missingFiles(sources)).toEqual(['domain/gone.ts']);
  expect(barrels(sources)).toEqual(['queue/index.ts']);
  expect(environmentReaders(sources)).toEqual(['helpers/x.ts', 'queue/index.ts']);
});
