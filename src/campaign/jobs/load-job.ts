import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Document, isScalar, LineCounter, parseDocument, Scalar, visit } from 'yaml';
import { TumaError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job.ts';
import type { TemplateSource } from '../../domain/text/template-tags.ts';
import { type JobProblem, offsetOf, problemsOf } from './job-problems.ts';
import { jobFromFile, jobSchema } from './job-schema.ts';
import { messagePlaces } from './message-places.ts';
import { readText } from './read-text.ts';

const CURLY = /^[“”„‘’][^“”„‘’]*[“”‘’]$/;
/** No job file or template that a person writes is larger. */
export const MAX_JOB_BYTES = 65_536;
const MAX_TEMPLATE_BYTES = 65_536;
/** A file that is no job file at all would list every line. */
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
}

/** The text of a job file with what is needed to name a place in it. */
interface JobText {
  file: string;
  source: string;
  document: Document;
  lines: LineCounter;
}

/**
 * Reads and checks a job file, and reads its template. Throws `not_found` when there is no such file and `job_invalid`
 * (or `template_invalid`) with every problem as file:line:column otherwise. The contacts are not opened.
 */
export async function loadJob(path: string): Promise<LoadedJob> {
  const read = await readText(path, MAX_JOB_BYTES);
  if (!read.ok) {
    throw new TumaError(read.missing ? 'not_found' : 'job_invalid', {
      message: `The job file ${path} ${read.problem}`,
      hint: besideIt(path),
      where: path,
    });
  }
  const text = parseYaml(path, read.text);
  const job = checkJob(text);
  const template = await readTemplate(job, text);
  return {
    job,
    file: path,
    contactsPath: job.contacts === null ? null : resolve(dirname(path), job.contacts),
    placeOf: (...keys) => place(text, offsetOf(text.document, keys)),
    template,
    hashes: { job: sha256(read.bytes), template: sha256(template.source) },
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
    // Else Node itself warns of a key that is a map, such as that of `message: {{name}}`.
    logLevel: 'error',
  });
  const text = { file, source, document, lines };
  const problems = [...document.errors, ...document.warnings].map((problem): JobProblem => {
    // A text such as `Dear <<name>>: …`, which the words of YAML help nobody to find.
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
  const raw: unknown = text.document.toJS() ?? {};
  const parsed = jobSchema.safeParse(raw);
  const problems = [...relationProblems(raw, text.document), ...cutByComment(text), ...curlyQuotes(text)];
  if (!parsed.success) {
    const rootKeys = Object.keys(jobSchema.shape);
    problems.push(...problemsOf(parsed.error.issues, { document: text.document, rootKeys }));
  }
  if (problems.length > 0 || !parsed.success) throw jobInvalid(text, problems);
  return jobFromFile(parsed.data);
}

/** What the schema cannot say: a template or a message, and not both; one clock. */
function relationProblems(raw: unknown, document: Document): JobProblem[] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  const [template, message] = [Object.hasOwn(raw, 'template'), Object.hasOwn(raw, 'message')];
  const problems = [
    ...clockProblems(raw, document),
    ...canaryProblems(raw, document),
    ...capProblems(raw, document),
  ];
  if (template && message) {
    return [
      ...problems,
      {
        offset: offsetOf(document, ['message']),
        message: '`template` and `message` are both given; keep one',
      },
    ];
  }
  if (template || message) return problems;
  return [
    ...problems,
    {
      offset: offsetOf(document, []),
      message: '`template` is missing (a file), or `message` (the text itself)',
    },
  ];
}

/**
 * " #" begins a comment in YAML, so of "Acc #45" only "Acc" would be sent, and "Rent #2" would have the name of "Rent #1". Behind a
 * name a comment is told by its blank.
 */
const CUT_BY = {
  message: { mark: /#/, remedy: 'put the text into quotation marks, or a comment on a line of its own' },
  name: { mark: /#(?=\S)/, remedy: 'write the name without it, or a comment with a blank behind the `#`' },
};

function cutByComment(text: JobText): JobProblem[] {
  return (['message', 'name'] as const).flatMap((key) => cutValue(text, key));
}

function cutValue({ document, source }: JobText, key: keyof typeof CUT_BY): JobProblem[] {
  const node = document.getIn([key], true);
  if (!isScalar(node) || node.type !== Scalar.PLAIN || !node.range) return [];
  const [, end, after] = node.range;
  const [sameLine = ''] = source.slice(end, after).split(/[\r\n]/, 1);
  const { mark, remedy } = CUT_BY[key];
  const at = sameLine.search(mark);
  if (at < 0) return [];
  const message = `\`${key}\` ends before this \`#\`, which begins a comment: ${remedy}`;
  return [{ offset: end + at, message }];
}

/** What a word processor makes of quotation marks is text to YAML: a sender would have them. A message may be meant so, and the plan shows it. */
function curlyQuotes({ document }: JobText): JobProblem[] {
  const problems: JobProblem[] = [];
  const meant = document.getIn(['message'], true);
  visit(document, {
    Scalar: (_, node) => {
      if (node === meant || node.type !== Scalar.PLAIN || !CURLY.test(String(node.value))) return;
      const message = 'curly quotation marks are part of the value: write straight ones, or none';
      problems.push({ offset: node.range?.[0] ?? 0, message });
    },
  });
  return problems;
}

/** The reminders of a year have no first messages that speak for the others. */
function canaryProblems(raw: object, document: Document): JobProblem[] {
  if (!Object.hasOwn(raw, 'canary') || !Object.hasOwn(raw, 'remind')) return [];
  const message = '`canary` does not go with `remind`: its messages are sent on many days';
  return [{ offset: offsetOf(document, ['canary']), message }];
}

/** A person asked for what a transactional message says. */
function capProblems(raw: object, document: Document): JobProblem[] {
  const { kind, guard } = raw as { kind?: unknown; guard?: unknown };
  if (kind !== 'transactional' || typeof guard !== 'object' || guard === null) return [];
  if (!Object.hasOwn(guard, 'most')) return [];
  const message = '`guard.most` is for promotional jobs: a transactional message is never one too many';
  return [{ offset: offsetOf(document, ['guard', 'most']), message }];
}

/** One clock a job: a start, a moment of each contact, or again and again. */
function clockProblems(raw: object, document: Document): JobProblem[] {
  const [first, second] = ['start', 'remind', 'every'].filter((key) => Object.hasOwn(raw, key));
  if (first === undefined || second === undefined) return [];
  return [
    {
      offset: offsetOf(document, [second]),
      message: `\`${first}\` and \`${second}\` are both given; keep one`,
    },
  ];
}

async function readTemplate(job: Job, text: JobText): Promise<TemplateSource> {
  if ('message' in job.template) return messageTemplate(job.template.message, text);
  const written = job.template.file;
  const named = isAbsolute(written) ? written : join(dirname(text.file), written);
  const read = await readText(named, MAX_TEMPLATE_BYTES);
  if (read.ok) return { source: read.text, file: named };
  if (!read.missing) {
    throw new TumaError('template_invalid', {
      message: `The template ${named} ${read.problem}`,
      hint: 'Save the message as a UTF-8 text file.',
      where: place(text, offsetOf(text.document, ['template'])),
    });
  }
  throw jobInvalid(text, [
    {
      offset: offsetOf(text.document, ['template']),
      message: `\`template\` names ${named}, which ${read.problem}`,
    },
  ]);
}

function messageTemplate(source: string, text: JobText): TemplateSource {
  const placeOf = messagePlaces(text.document.getIn(['message'], true), text);
  return { source, file: text.file, placeOf };
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
