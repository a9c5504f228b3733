import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Document, isScalar, LineCounter, parseDocument, Scalar, visit } from 'yaml';
import { TumaError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job.ts';
import type { TemplateSource } from '../../domain/text/template-tags.ts';
import { type JobProblem, offsetOf, problemsOf } from './job-problems.ts';
import { jobFromFile, jobSchema } from './job-schema.ts';

/** No job file or template that a person writes is larger. */
export const MAX_JOB_BYTES = 65_536;
/** A file that is no job file has a problem in every line. */
const MOST_PROBLEMS_SHOWN = 20;

/** A job file that was read and checked, with the files it names. */
export interface LoadedJob {
  job: Job;
  /** The job file as the person named it. */
  file: string;
  /** Absolute path of the CSV; null when the job names none. */
  contactsPath: string | null;
  /** file:line:column of a key of the job file: `placeOf('remind', 'column')`. */
  placeOf: (...keys: string[]) => string;
  /** The message text before rendering, and its place for errors: the template file, or the job file. */
  template: TemplateSource;
  /** Hex sha256 of the job file's bytes and of the template's text: two thirds of a campaign's identity. */
  hashes: { job: string; template: string };
  /** The job file and the template file, each with the hash of its bytes. */
  read: (readonly [path: string, sha256: string])[];
}

/** The text of a job file, with the parts that locate a place in it. */
interface JobText {
  file: string;
  source: string;
  document: Document;
  lines: LineCounter;
}

/**
 * Reads and checks a job file, and reads its template. Throws `not_found` for a missing file. Throws
 * `job_invalid` or `template_invalid` with every problem as file:line:column. The contacts are not opened.
 */
export async function loadJob(path: string): Promise<LoadedJob> {
  const read = await readText(path);
  if (!read.ok) {
    throw new TumaError(read.missing ? 'not_found' : 'job_invalid', {
      message: `The job file ${path} ${read.problem}`,
      hint: besideIt(path),
      where: path,
    });
  }
  return loadJobText({ file: path, source: read.text, bytes: read.bytes });
}

/** A job file's text; `file` is its path, or a name for errors. `bytes`: those of the file, when it is one. */
export interface JobSource {
  file: string;
  source: string;
  bytes?: Uint8Array;
}

/** As `loadJob`, of a text that need not be in a file. Paths in it are relative to the folder of `file`. */
export async function loadJobText({ file, source, bytes }: JobSource): Promise<LoadedJob> {
  const text = parseYaml(file, source);
  const job = checkJob(text);
  const read = await readTemplate(job, text);
  const { template } = read;
  const hash = sha256(bytes ?? source);
  return {
    job,
    file,
    contactsPath: job.contacts === null ? null : resolve(dirname(file), job.contacts),
    placeOf: (...keys) => place(text, offsetOf(text.document, keys)),
    template,
    hashes: { job: hash, template: sha256(template.source) },
    read: [[file, hash], ...(read.bytes === null ? [] : [[template.file, sha256(read.bytes)] as const])],
  };
}

/** A job is often named without its ending. */
function besideIt(path: string): string {
  const meant = ['yaml', 'yml'].map((ending) => `${path}.${ending}`).find((file) => existsSync(file));
  return meant === undefined ? 'Name a YAML file such as jobs/promo.yaml.' : `Did you mean ${meant}?`;
}

function parseYaml(file: string, source: string): JobText {
  const lines = new LineCounter();
  // Failsafe: every scalar stays text, so that no zero and no decimal is lost before the schema reads it.
  const document = parseDocument(source, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    // Otherwise Node warns of a key that is a map, such as in `message: {{name}}`.
    logLevel: 'error',
  });
  const text = { file, source, document, lines };
  const problems = [...document.errors, ...document.warnings].map((problem): JobProblem => {
    // YAML has no clear words for a text such as `Dear <<name>>: …`.
    const remedy =
      problem.code === 'BLOCK_AS_IMPLICIT_KEY' ? '; text with `: ` in it needs straight quotation marks' : '';
    return { offset: problem.pos[0], message: `YAML: ${problem.message}${remedy}` };
  });
  // A job needs no aliases, and they can grow a small file into gigabytes.
  visit(document, {
    Alias: (_, { range }) => {
      problems.push({
        offset: range?.[0] ?? 0,
        message: 'YAML aliases (`*name`) are not allowed in a job file',
      });
    },
  });
  if (problems.length > 0) throw jobInvalid(text, problems);
  return text;
}

function checkJob(text: JobText): Job {
  const parsed = jobSchema.safeParse(text.document.toJS() ?? {});
  const problems = cutMessage(text);
  if (!parsed.success) {
    const rootKeys = Object.keys(jobSchema.shape);
    problems.push(...problemsOf(parsed.error.issues, { document: text.document, rootKeys }));
  }
  if (problems.length > 0 || !parsed.success) throw jobInvalid(text, problems);
  return jobFromFile(parsed.data);
}

/** YAML begins a comment at ` #`, so of the message "Acc #45" only "Acc" would be sent. */
function cutMessage({ document, source }: JobText): JobProblem[] {
  const node = document.getIn(['message'], true);
  if (!isScalar(node) || node.type !== Scalar.PLAIN || !node.range) return [];
  const [, end, after] = node.range;
  const [sameLine = ''] = source.slice(end, after).split(/[\r\n]/, 1);
  const at = sameLine.indexOf('#');
  if (at < 0) return [];
  const message =
    '`message` ends before this `#`, which begins a comment: put the text into quotation marks, or the comment on a line of its own';
  return [{ offset: end + at, message }];
}

/** `bytes`: of the template file; null: the job file holds the message. */
async function readTemplate(
  job: Job,
  text: JobText,
): Promise<{ template: TemplateSource; bytes: Uint8Array | null }> {
  if ('message' in job.template)
    return { template: messageTemplate(job.template.message, text), bytes: null };
  const written = job.template.file;
  const named = isAbsolute(written) ? written : join(dirname(text.file), written);
  const read = await readText(named);
  if (read.ok) return { template: { source: read.text, file: named }, bytes: read.bytes };
  if (!read.missing) {
    throw new TumaError('template_invalid', {
      message: `The template ${named} ${read.problem}`,
      hint: 'Save the message as a UTF-8 text file.',
      where: place(text, offsetOf(text.document, ['template'])),
    });
  }
  const offset = offsetOf(text.document, ['template']);
  throw jobInvalid(text, [{ offset, message: `\`template\` names ${named}, which ${read.problem}` }]);
}

/** A message's errors have the place where the message begins, because YAML folds lines and reads escapes. */
function messageTemplate(source: string, { document, file, lines }: JobText): TemplateSource {
  const { line, col } = lines.linePos(offsetOf(document, ['message']));
  return { source, file, placeOf: () => ({ line, column: col }) };
}

/** One error for all problems: alone, it is the message; several are listed with their places. */
function jobInvalid(text: JobText, problems: readonly JobProblem[]): TumaError {
  const sorted = [...problems].sort((left, right) => left.offset - right.offset);
  const where = place(text, sorted[0]?.offset ?? 0);
  const hint = 'jobs/promo.yaml is a job file that works; jobs/schema.json describes every key.';
  if (sorted.length === 1)
    return new TumaError('job_invalid', { message: sorted[0]?.message ?? '', hint, where });
  const shown = sorted.slice(0, MOST_PROBLEMS_SHOWN);
  const list = shown.map(({ offset, message }) => `\n  ${place(text, offset)} ${message}`).join('');
  const more = sorted.length > shown.length ? `\n  and ${sorted.length - shown.length} more` : '';
  return new TumaError('job_invalid', {
    message: `${text.file} has ${sorted.length} problems:${list}${more}`,
    hint,
    where,
  });
}

function place({ file, lines }: JobText, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A small text file that was read whole, or the problem in words that can follow its name. */
type TextFile =
  | { ok: true; text: string; bytes: Uint8Array }
  | { ok: false; missing: boolean; problem: string };

/** Reads a regular UTF-8 file of at most `MAX_JOB_BYTES`. A byte order mark is not part of the text. */
async function readText(path: string): Promise<TextFile> {
  const refused = (problem: string): TextFile => ({ ok: false, missing: false, problem });
  try {
    const file = await stat(path);
    if (!file.isFile()) return refused('is not a regular file');
    if (file.size > MAX_JOB_BYTES) return refused(`is larger than ${MAX_JOB_BYTES} bytes`);
    const bytes = await readFile(path);
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes };
  } catch (error) {
    if (error instanceof TypeError) return refused('is not UTF-8 text');
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { ok: false, missing: true, problem: 'does not exist' };
    if (code === 'EACCES') return refused('may not be read by this user');
    return refused(`cannot be read (${code ?? 'unknown error'})`);
  }
}
