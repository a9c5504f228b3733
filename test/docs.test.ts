import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { jobSchema } from '../src/campaign/jobs/job-schema.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { nameOf } from '../src/cli/command.ts';
import { EXIT, SIGNAL_EXITS } from '../src/cli/exit.ts';
import { flagOf } from '../src/cli/arguments/setting-flags.ts';
import { SETTING_NAMES } from '../src/config/schema.ts';
import { PAUSE_REASONS } from '../src/domain/campaign.ts';
import { PLAIN_REASONS, reasonText } from '../src/domain/row-reason.ts';
import { TRANSITIONS } from '../src/domain/message.ts';
import { profileSchema } from '../src/provider/profiles/profile.ts';
import { createMetrics } from '../src/runtime/metrics.ts';
import { ANSWERS } from '../src/sandbox/api/answers.ts';
import { between } from './support/docs-tables.ts';
import { anchorsOf, codeOf, linksOf, pages, readPage, tableRows } from './support/markdown.ts';
import { ROOT } from './support/processes.ts';

/** The rows of the table that stands between two markers of a page. */
function rowsOf(page: string, marker: string): string[][] {
  return tableRows(between(readPage(page), marker));
}

const firstOf = (rows: string[][]) => rows.map(([first = '']) => first);

describe('what the docs repeat from the code', () => {
  const drawnAs = TRANSITIONS.map((transition) => transition.join(' ')).toSorted();

  test('the transitions of a message are all in the table, and no other', () => {
    const rows = rowsOf('docs/state-machines.md', 'transitions');
    expect(rows.map(([from, to, actor]) => `${from} ${to} ${actor}`).toSorted()).toEqual(drawnAs);
  });

  test('the drawing shows the same transitions', () => {
    const [drawing = ''] = readPage('docs/state-machines.md').split('```\n');
    const lines = [...drawing.matchAll(/^ +(\w+) --> (\w+): (.+)$/gm)];
    const drawn = lines.flatMap(([, from, to, actors = '']) =>
      actors.split(', ').map((actor) => `${from} ${to} ${actor}`),
    );
    expect(drawn.toSorted()).toEqual(drawnAs);
  });

  test('every command is in the table of the commands, in the order of the help', () => {
    expect(firstOf(rowsOf('docs/commands.md', 'commands'))).toEqual(COMMANDS.map(({ usage }) => usage));
  });

  test('every exit code is on the page of the commands', () => {
    const [, table = ''] = readPage('docs/commands.md').split('| exit code | means |');
    const listed = firstOf(tableRows(`|\n${table.split('\n\n')[0]}`)).flatMap((cell) => cell.split(', '));
    const codes = new Set([...Object.values(EXIT), ...Object.values(SIGNAL_EXITS)].map(String));
    expect(listed.toSorted()).toEqual([...codes].toSorted());
  });

  test('the keys of a job file', () => {
    expect(firstOf(rowsOf('docs/jobs.md', 'job keys'))).toEqual(Object.keys(jobSchema.shape));
  });

  test('every reason for which a row is rejected, and what to do about it', () => {
    const withFacts = ['missing', 'placeholder', 'abroad'] as const;
    const shown = withFacts.map((code) => reasonText({ code, field: '…', country: '…' }));
    const reasons = firstOf(rowsOf('docs/jobs.md', 'row reasons')).flatMap((cell) => cell.split(', '));
    expect(reasons.toSorted()).toEqual([...PLAIN_REASONS, ...shown].toSorted());
  });

  test('the rows of a profile', () => {
    expect(firstOf(rowsOf('docs/profile.md', 'profile'))).toEqual(Object.keys(profileSchema.shape));
  });

  test('the answers of the sandbox, with their fate and meaning', () => {
    const answers = Object.entries(ANSWERS).map(([name, { fate, means }]) => [
      name,
      fate,
      means.replaceAll('`', ''),
    ]);
    expect(rowsOf('docs/sandbox.md', 'answers')).toEqual(answers);
  });

  test('who may import whom', () => {
    const test = readFileSync(join(ROOT, 'test/architecture.test.ts'), 'utf8');
    const [, table = ''] = /const MAY_IMPORT[^\n]*\{\n(.*?)^\};/ms.exec(test) ?? [];
    const parts = [...table.matchAll(/^ {2}(\w+): (\[[^\]]*\]|'[^']*'),/gm)];
    expect(parts.length).toBeGreaterThan(10);
    const rows = parts.map(([, part = '', allowed = '']) => {
      const names = [...allowed.matchAll(/'([^']*)'/g)].map(([, name]) => name);
      return [part, names.join(', ') || 'nothing of ours'];
    });
    expect(rowsOf('docs/architecture.md', 'imports')).toEqual(rows);
  });

  test('every metric', async () => {
    const { body } = await createMetrics({}).render();
    const metrics = [...body.matchAll(/^# HELP (tuma_\w+)/gm)].map(([, name = '']) => name);
    const listed = firstOf(rowsOf('docs/operations.md', 'metrics')).flatMap(
      (cell) => cell.match(/tuma_\w+/g) ?? [],
    );
    expect(listed.toSorted()).toEqual(metrics.toSorted());
  });

  test('every reason of a pause, and what to do about it', () => {
    const named = (page: string) =>
      tableRows(readPage(page)).filter(([reason]) =>
        (PAUSE_REASONS as readonly string[]).includes(reason ?? ''),
      );
    expect(firstOf(named('docs/state-machines.md')).toSorted()).toEqual(PAUSE_REASONS.toSorted());
    expect(firstOf(named('docs/pauses.md')).toSorted()).toEqual(PAUSE_REASONS.toSorted());
  });

  test('every row P1 to P18 that a comment names is explained', () => {
    const comments = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .filter((line) => /^\s*(\/\/|\/?\*)/.test(line)),
    );
    const named = new Set(comments.flatMap((line) => line.match(/\bP\d{1,2}b?\b/g) ?? []));
    expect(named.size).toBeGreaterThan(10);
    const explained = firstOf(tableRows(readPage('docs/state-machines.md')));
    expect([...named].filter((row) => !explained.includes(row))).toEqual([]);
  });
});

/** The flags of each command, its own and those of the settings. */
async function knownFlags(): Promise<Map<string, Set<string>>> {
  const settings = SETTING_NAMES.map(flagOf).filter((flag) => flag !== null);
  const common = ['--json', '--show-numbers', '--help', ...settings.map((flag) => `--${flag}`)];
  const entries = COMMANDS.map(async (entry) => {
    const { command } = await entry.load();
    const modules = 'actions' in command ? Object.values(command.actions) : [command];
    const own = modules.flatMap((module) => {
      const parser = new Command();
      module.declare(parser);
      return parser.options.map(({ long }) => long ?? '');
    });
    return [nameOf(entry), new Set([...common, ...own])] as const;
  });
  return new Map(await Promise.all(entries));
}

/** The commands that a piece of code gives, cut where the shell goes on or a comment begins. */
function invocationsIn(code: string): string[] {
  const [uncommented = ''] = code.split(/(?:^|\s)#/);
  return [...uncommented.matchAll(/(?:^|[\s/(])(?:tuma )+([a-z]+\b(?!-)[^&|>;]*)/g)].map(([, rest = '']) =>
    rest.trim(),
  );
}

async function unknownInvocations(code: string): Promise<string[]> {
  const flags = await knownFlags();
  return invocationsIn(code).filter((invocation) => {
    const [name = '', page = ''] = invocation.split(' ');
    if (name === 'help') return page !== 'exit-codes' && !existsSync(join(ROOT, `docs/${page}.md`));
    const known = flags.get(name);
    return known === undefined || (invocation.match(/--[a-z-]+/g) ?? []).some((flag) => !known.has(flag));
  });
}

/** First parts of absolute paths that a page may name: of URLs, and where anybody would install a program. */
const EVERYBODYS = [
  'webhooks',
  'health',
  'metrics',
  'api',
  'data',
  'state',
  'etc',
  'opt',
  'proc',
  'srv',
  'tmp',
  'var',
];

/** Absolute paths of the machine on which somebody wrote a page. */
function somebodysPaths(text: string): string[] {
  const visible = text.replace(/<!--.*?-->/g, '');
  const paths = visible.match(/(?<![\w.:/<>{}~*)])\/[A-Za-z]\w*[\w/.-]*|\b[A-Z]:\\\w+/g) ?? [];
  return paths.filter((path) => !EVERYBODYS.includes(path.split('/')[1] ?? ''));
}

/** True: an address of the API, which looks like a path. Another test compares them with the code. */
function isOfApi(path: string): boolean {
  const { paths } = JSON.parse(readPage('docs/openapi.json')) as { paths: object };
  return [...Object.keys(paths), '/api'].some((each) => each.split('/')[1] === path.split('/')[1]);
}

/** What a page links to that is not there, or is outside of the project. */
function deadLinks(path: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (target.startsWith('..') || !existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(readPage(target)).includes(anchor);
  });
}

describe.each(pages())('%s', (path) => {
  const text = readPage(path);

  test('links only to what is there', () => {
    expect(deadLinks(path, text)).toEqual([]);
  });

  test('gives only commands and flags that exist', async () => {
    const unknown = await Promise.all(codeOf(text).map((code) => unknownInvocations(code)));
    expect(unknown.flat()).toEqual([]);
  });

  test('names no path outside the project', () => {
    const isAddress = (named: string) => path === 'docs/api.md' && isOfApi(named);
    expect(somebodysPaths(text).filter((named) => !isAddress(named))).toEqual([]);
  });
});

describe('the checks themselves', () => {
  test('every page is reached from the README', () => {
    const reached = new Set<string>(['README.md']);
    for (const path of reached)
      for (const link of linksOf(readPage(path)))
        if (/^[^:]*\.md(#|$)/.test(link))
          reached.add(normalize(join(dirname(path), link.split('#')[0] ?? '')));
    expect(pages().filter((path) => !reached.has(path))).toEqual([]);
  });

  test('the picture names no path outside the project and loads nothing', () => {
    const picture = readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8');
    expect(somebodysPaths(picture)).toEqual([]);
    expect(picture.match(/(?:href|src|url)\s*[=(]|<script|@import/g) ?? []).toEqual([]);
    expect(picture).toMatch(/^<svg .*The sandbox's own log says.*<\/svg>\s*$/s);
    expect(picture.length).toBeLessThan(60_000);
  });

  test.each([
    ['a [link](docs/gone.md)', ['docs/gone.md']],
    ['a [link](../outside.md)', ['../outside.md']],
    ['an ![image](docs/images/gone.png)', ['docs/images/gone.png']],
    ['a [place](docs/jobs.md#nowhere)', ['docs/jobs.md#nowhere']],
    ['a [place](docs/jobs.md#the-job-file), [code](LICENSE), [far](https://example.org)', []],
  ])('in %j the dead links are %j', (text, dead) => {
    expect(deadLinks('README.md', text)).toEqual(dead);
  });

  test.each([
    ['tuma outbox', ['outbox']],
    ['$ tuma status --jsno', ['status --jsno']],
    ['cd x && bin/tuma settle --from D', ['settle --from D']],
    ['tuma launch a.yaml --wait --max-cost 5 --home x   # tuma is good', []],
    ['User=tuma', []],
  ])('in %j the unknown commands are %j', async (code, unknown) => {
    expect(await unknownInvocations(code)).toEqual(unknown);
  });

  test.each(['/mnt/x/y', 'see `/home/ann/tuma`', '(/Users/ann/a.csv)', 'C:\\Users'])(
    '%j is a path of somebody',
    (text) => {
      expect(somebodysPaths(text)).toHaveLength(1);
    },
  );
});
