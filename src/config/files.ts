import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMap, isScalar, LineCounter, Pair, parseDocument, Scalar } from 'yaml';
import { parseEnvFile } from './env-file.ts';

/** Where a value came from. */
export type SourceName = 'flag' | 'environment' | '.env' | 'tuma.yaml' | 'default';

/** One place that settings come from: texts by the name they have there, and what could not be read of it. */
export interface Source {
  from: SourceName;
  /** The file; null for flags, the environment and defaults. */
  file: string | null;
  /** Relative paths in its values start here. */
  directory: string;
  values: Record<string, string>;
  problems: string[];
}

const NOT_UTF8 = 'is not text in UTF-8; save it as UTF-8';

/** The nearest directory, from `cwd` upwards, that holds `.tuma` or `tuma.yaml`; null when none does. */
export function findProject(cwd: string): string | null {
  return findUpwards(cwd, (directory) =>
    ['.tuma', 'tuma.yaml'].some((name) => existsSync(join(directory, name))),
  );
}

/** The nearest `.env`, from `cwd` up to the project's directory; null when there is none. */
export function findEnvFile(cwd: string, project: string | null): string | null {
  if (project === null) return existsSync(join(cwd, '.env')) ? join(cwd, '.env') : null;
  const directory = findUpwards(cwd, (at) => existsSync(join(at, '.env')) || at === project);
  const file = directory === null ? null : join(directory, '.env');
  return file !== null && existsSync(file) ? file : null;
}

function findUpwards(start: string, found: (directory: string) => boolean): string | null {
  for (let directory = start; ; directory = dirname(directory)) {
    if (found(directory)) return directory;
    if (dirname(directory) === directory) return null;
  }
}

/** Reads a `.env`: lines of NAME=value. Names without TUMA_ belong to other programs. */
export function readEnvFile(file: string): Source {
  const source: Source = { from: '.env', file, directory: dirname(file), values: {}, problems: [] };
  const text = readText(source);
  return text === null ? source : { ...source, ...parseEnvFile(text, file) };
}

/** The TUMA_ names of an environment. */
export function onlyOurs(environment: Record<string, string | undefined>): Record<string, string> {
  const ours: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('TUMA_') && value !== undefined) ours[name] = value;
  }
  return ours;
}

/** Reads a `tuma.yaml`: one map of settings, with long (`TUMA_RATE`) or short names (`rate`). */
export function readYamlFile(file: string): Source {
  const source: Source = { from: 'tuma.yaml', file, directory: dirname(file), values: {}, problems: [] };
  const text = readText(source);
  if (text === null) return source;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  for (const error of document.errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    source.problems.push(`${file}:${line}:${col}: ${error.message}`);
  }
  if (isMap(document.contents)) {
    for (const pair of document.contents.items) takePair(source, pair);
  } else if (document.contents !== null && source.problems.length === 0) {
    source.problems.push(`${file}:1:1: must be a map of settings`);
  }
  return source;
}

/** The keys of `notify:`, which gathers the settings of alerts. */
const NOTIFY: Readonly<Record<string, string>> = {
  url: 'ALERT_URL',
  secret: 'ALERT_SECRET',
  mail: 'ALERT_MAIL',
  smtp: 'SMTP_URL',
  low_credit: 'LOW_CREDIT',
  uncertain: 'ALERT_UNCERTAIN',
};

function takePair(source: Source, pair: Pair): void {
  const key = isScalar(pair.key) ? String(pair.key.value) : '';
  if (key === 'notify' && isMap(pair.value)) {
    for (const { key: part, value } of pair.value.items) {
      const name = NOTIFY[String(part)] ?? `notify.${String(part)}`;
      takePair(source, new Pair(new Scalar(name), value));
    }
    return;
  }
  const upper = key.toUpperCase();
  const name = upper.startsWith('TUMA_') ? upper : `TUMA_${upper}`;
  const text = textOf(pair.value);
  if (text === null) source.problems.push(`${name} (tuma.yaml): must be one value`);
  else if (name in source.values) source.problems.push(`${name} (tuma.yaml): is given twice`);
  else source.values[name] = text;
}

/** The text as it was written, so that `0.80` keeps its zero; null when it is not one value. */
function textOf(node: unknown): string | null {
  if (!isScalar(node)) return null;
  return node.value === null ? '' : (node.source ?? JSON.stringify(node.value));
}

/** Null: unreadable. In other encodings than UTF-8 no name would match, without any message. */
function readText(source: Source): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(source.file ?? ''));
    if (!text.includes('\0')) return text;
    source.problems.push(`${source.file}: ${NOT_UTF8}`);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const words = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? NOT_UTF8 : `cannot be read (${code})`;
    source.problems.push(`${source.file}: ${words}`);
  }
  return null;
}
