import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { COMMANDS } from '../src/cli/commands.ts';
import { ROOT } from './support/processes.ts';

/* Errors, alerts and reports are met in a terminal, on a page and by a program. So they carry the way on as data
 * (src/domain/advice.ts), and only the command line says what to type. */

/** Who may name commands and flags, and why. */
const MAY_NAME = [
  { path: 'cli/', why: 'the command line' },
  { path: 'sample/', why: 'the files of `tuma init`, which are read beside a terminal' },
  {
    path: 'config/schema.ts',
    why: 'descriptions of settings, for the command line and docs/configuration.md',
  },
  { path: 'domain/errors.ts', why: 'the lines of docs/errors.md' },
  { path: 'notify/next-step.ts', why: 'alerts, which are read with and without a terminal' },
  { path: 'runtime/sandbox.ts', why: 'the place of an error of `tuma sandbox`' },
  { path: 'reports/report-html.ts', why: 'colours of its style, which look like flags' },
  { path: 'queue/redis-server.ts', why: 'a flag of Redis' },
];

/** What pages may name, because only whoever installed Tuma can do it. */
const FOR_WHO_INSTALLED = /\btuma (?:serve|users)\b/g;

const VERBS = COMMANDS.map(({ usage }) => usage.split(' ')[0]).join('|');
const COMMAND = new RegExp(`\\btuma (?:${VERBS})\\b`);

const sources = globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((path) => {
  return { path, text: readFileSync(join(ROOT, 'src', path), 'utf8') };
});

/** All flags that the command line names. */
const FLAGS = new Set(
  sources
    .filter(({ path }) => path.startsWith('cli/'))
    .flatMap(({ text }) => text.match(/(?<=[\s'"`(])--[a-z][a-z-]+/g) ?? []),
);

/** The texts in a program: strings, and the fixed parts of templates. No comments. */
function textsOf(program: string): string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, value } = node as { type?: string; value?: unknown };
    if (type === 'Literal' && typeof value === 'string') texts.push(value);
    if (type === 'TemplateElement') texts.push((value as { cooked: string | null }).cooked ?? '');
    Object.values(node).forEach(visit);
  };
  visit(parseAst(program, { lang: 'ts' }));
  return texts;
}

/** What of a text only somebody at a terminal can use; null: nothing. */
function ofTheTerminal(text: string): string | null {
  const flag = (text.match(/(?<=^|[\s`'"(])--[a-z][a-z-]+/g) ?? []).find((each) => FLAGS.has(each));
  return COMMAND.exec(text)?.[0] ?? flag ?? null;
}

test('a text that names a command or a flag is found, a comment and another word are not', () => {
  const program = [
    '// tuma pause x',
    'const one = `Pause it: tuma pause ${id}`;',
    "const two = 'Add --yes to go on';",
    "const three = 'Run tuma as the user whose ledger it is, at 2 --or 3';",
    "const four = 'au tuma mara moja';",
  ].join('\n');
  expect(
    textsOf(program)
      .map(ofTheTerminal)
      .filter((each) => each !== null),
  ).toEqual(['tuma pause', '--yes']);
});

test('no text outside of the command line says what to type', () => {
  const found = sources
    .filter(({ path }) => !MAY_NAME.some((named) => path.startsWith(named.path)))
    .flatMap(({ path, text }) => {
      const isForPages = path.startsWith('web/words/');
      return textsOf(text).flatMap((each) => {
        const named = ofTheTerminal(isForPages ? each.replace(FOR_WHO_INSTALLED, '') : each);
        return named === null ? [] : [`${path} names ${named}: ${each.slice(0, 120)}`];
      });
    });
  expect(found).toEqual([]);
});

test('everything that may name commands still does', () => {
  const idle = MAY_NAME.filter(
    ({ path }) =>
      !sources.some(
        (source) =>
          source.path.startsWith(path) && textsOf(source.text).some((each) => ofTheTerminal(each) !== null),
      ),
  );
  expect(idle).toEqual([]);
});
