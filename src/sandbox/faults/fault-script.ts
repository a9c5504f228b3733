import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ANSWERS, type AnswerName, fateOf } from '../api/answers.ts';
import { internationalMobile } from '../numbers.ts';
import { SandboxError } from '../sandbox-error.ts';
import { type FaultRule, OK } from './faults.ts';

/*
 * A fault script is a YAML list of rules. The first matching rule applies:
 *
 *   - { mobile: "0712345678", answer: hang }
 *   - { last: "07", answer: 503_retry_after, times: 2, retry_after: 5 }
 *   - { answer: rst_on_accept, times: 3 }        # anyone: the next three connections
 *
 * Keys: mobile or last (neither: anyone), answer, times, code, ms, retry_after (seconds), accepted (for answers with an
 * open fate). Every error names its file, line and column.
 */

const NAMES = Object.keys(ANSWERS) as AnswerName[];

/** Every value is the text as written, because numbers keep their leading zeros. */
const fields = {
  mobile: z
    .string()
    .transform(internationalMobile)
    .pipe(z.string('`mobile` is no mobile number.'))
    .optional(),
  last: z
    .string()
    .regex(/^\d{1,15}$/, '`last` must be the last digits of a number.')
    .optional(),
  answer: z.enum(NAMES, { error: ({ input }) => answerProblem(input) }),
  times: wholeNumber(1).default(Infinity),
  code: z.string().optional(),
  ms: wholeNumber(0).nullable().default(null),
  retry_after: wholeNumber(0).default(OK.retryAfterSeconds),
  accepted: z.enum(['true', 'false'], '`accepted` must be true or false.').optional(),
};
const rule = z.strictObject(fields, { error: ruleProblem }).check(({ value, issues }) => {
  const conflict = conflictIn(value);
  if (conflict !== null) issues.push({ code: 'custom', input: value, ...conflict });
});
const script = z.array(rule, 'A fault script is a list of rules.');

/** Reads and checks a fault script. Throws a SandboxError with file:line:column. */
export function readFaultScript(file: string): FaultRule[] {
  const lines = new LineCounter();
  const fail = (message: string, offset: number): never => {
    const { line, col } = lines.linePos(offset);
    throw new SandboxError('script_invalid', { message, where: `${file}:${line}:${col}` });
  };
  const document = parseDocument(contentsOf(file), { lineCounter: lines, schema: 'failsafe' });
  const [broken] = document.errors;
  if (broken !== undefined) return fail(broken.message.split('\n')[0] ?? '', broken.pos[0]);
  const parsed = script.safeParse(document.toJS());
  if (parsed.success) return parsed.data.map(faultRule);
  const [issue] = parsed.error.issues;
  return fail(issue?.message ?? '', issue === undefined ? 0 : offsetOf(document, issue));
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new SandboxError(missing ? 'script_missing' : 'script_invalid', {
      message: missing ? 'There is no such fault script.' : 'The fault script cannot be read.',
      where: file,
      cause,
    });
  }
}

function faultRule(given: z.output<typeof rule>): FaultRule {
  return {
    who: whoOf(given),
    times: given.times,
    answer: {
      name: given.answer,
      code: given.code ?? OK.code,
      ms: given.ms,
      retryAfterSeconds: given.retry_after,
      accepted: given.accepted === undefined ? null : given.accepted === 'true',
    },
  };
}

function whoOf({ mobile, last }: z.output<typeof rule>): FaultRule['who'] {
  if (mobile !== undefined) return { mobile };
  return last === undefined ? 'anyone' : { last };
}

function wholeNumber(least: number) {
  const message = `Must be a whole number of at least ${least}.`;
  return z
    .string(message)
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(least, message));
}

function answerProblem(input: unknown): string {
  if (input === undefined) return 'The rule has no `answer`.';
  if (typeof input !== 'string') return '`answer` must be a single value.';
  return `There is no answer \`${input}\`; the answers are ${NAMES.join(', ')}.`;
}

function ruleProblem(issue: { code?: string; keys?: string[] }): string {
  if (issue.code !== 'unrecognized_keys') return 'A rule is a map with an `answer`.';
  return `Unknown key \`${issue.keys?.[0]}\`; the keys are ${Object.keys(fields).join(', ')}.`;
}

/** Finds values that do not go together. */
function conflictIn(given: z.output<typeof rule>): { message: string; path: string[] } | null {
  const { answer, code } = given;
  if (given.mobile !== undefined && given.last !== undefined)
    return { path: ['last'], message: 'Give `mobile` or `last`, not both.' };
  if (code !== undefined && answer !== '200_fail_code')
    return { path: ['code'], message: '`code` belongs to the answer `200_fail_code` only.' };
  if (code === '' || code === '200')
    return { path: ['code'], message: '`code` must be a code of a failure.' };
  const fate = fateOf(answer, code ?? OK.code);
  if (given.accepted === undefined || fate === 'coin') return null;
  const message = `\`accepted\` cannot be given here: after this answer the message is always ${fate}.`;
  return { path: ['accepted'], message };
}

/** The place of a problem: an unknown key, the wrong value, or the rule around a missing one. */
function offsetOf(document: Document.Parsed, issue: z.core.$ZodIssue): number {
  const node = document.getIn(issue.path, true) ?? document.getIn(issue.path.slice(0, -1), true);
  return startOf(issue.code === 'unrecognized_keys' ? keyIn(node, issue.keys[0]) : node);
}

function keyIn(map: unknown, name: string | undefined): unknown {
  return isMap(map) ? map.items.find(({ key }) => String(key) === name)?.key : null;
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
