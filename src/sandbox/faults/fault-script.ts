import { readFileSync } from 'node:fs';
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Node,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import { ANSWERS, fateOf, isAnswerName, type AnswerName } from '../api/answers.ts';
import { OK, type FaultRule } from './faults.ts';
import { internationalMobile } from '../numbers.ts';
import { SandboxError } from '../sandbox-error.ts';

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

const KEYS = ['mobile', 'last', 'answer', 'times', 'code', 'ms', 'retry_after', 'accepted'] as const;
type Key = (typeof KEYS)[number];
const MOST_BYTES = 1_048_576;

/** Reads and checks a fault script. Throws a SandboxError with file:line:column. */
export function readFaultScript(file: string): FaultRule[] {
  const script = new Script(file, contentsOf(file));
  return script.rules();
}

function contentsOf(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length <= MOST_BYTES) return bytes.toString('utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new SandboxError(missing ? 'script_missing' : 'script_invalid', {
      message: missing ? 'There is no such fault script.' : 'The fault script cannot be read.',
      where: file,
      cause,
    });
  }
  throw new SandboxError('script_invalid', { message: 'The fault script is larger than 1 MB.', where: file });
}

/** A value of the script, with its place. */
interface Value {
  /** As written in the file: a number keeps its leading zeros. */
  text: string;
  value: unknown;
  node: Node;
}

class Script {
  readonly #file: string;
  readonly #source: string;
  readonly #lines = new LineCounter();

  constructor(file: string, source: string) {
    this.#file = file;
    this.#source = source;
  }

  rules(): FaultRule[] {
    const document = parseDocument(this.#source, { lineCounter: this.#lines });
    const problem = document.errors[0];
    if (problem !== undefined) this.#fail(problem.message.split('\n')[0] ?? '', problem.pos[0]);
    const list = document.contents;
    if (!isSeq<ParsedNode>(list)) this.#fail('A fault script is a list of rules.', list?.range?.[0] ?? 0);
    return list.items.map((item, index) => this.#rule(item, index));
  }

  #rule(item: ParsedNode, index: number): FaultRule {
    if (!isMap(item)) this.#fail('A rule is a map with an `answer`.', item.range[0]);
    const values = this.#values(item);
    const answer = values.get('answer');
    if (answer === undefined) this.#fail('The rule has no `answer`.', item.range[0]);
    const name = this.#name(answer);
    const code = this.#code(values.get('code'), name);
    return {
      who: this.#who(values),
      times: this.#whole(values.get('times'), 1) ?? Infinity,
      answer: {
        name,
        rule: index,
        code,
        ms: this.#whole(values.get('ms'), 0),
        retryAfterSeconds: this.#whole(values.get('retry_after'), 0) ?? OK.retryAfterSeconds,
        accepted: this.#accepted(values.get('accepted'), { name, code }),
      },
    };
  }

  #values(map: YAMLMap): Map<Key, Value> {
    const values = new Map<Key, Value>();
    for (const { key, value } of map.items) {
      const place = (key as Node).range?.[0] ?? 0;
      const word = isScalar(key) ? String(key.value) : '';
      const known = KEYS.find((name) => name === word);
      if (known === undefined) this.#fail(`Unknown key \`${word}\`; the keys are ${KEYS.join(', ')}.`, place);
      if (!isScalar(value)) this.#fail(`\`${word}\` must be a single value.`, place);
      values.set(known, { text: value.source ?? String(value.value), value: value.value, node: value });
    }
    return values;
  }

  #name(value: Value): AnswerName {
    if (isAnswerName(value.text)) return value.text;
    const names = Object.keys(ANSWERS).join(', ');
    return this.#failAt(value, `There is no answer \`${value.text}\`; the answers are ${names}.`);
  }

  #who(values: Map<Key, Value>): FaultRule['who'] {
    const mobile = values.get('mobile');
    const last = values.get('last');
    if (mobile !== undefined && last !== undefined) this.#failAt(last, 'Give `mobile` or `last`, not both.');
    if (mobile !== undefined) {
      const number = internationalMobile(mobile.text);
      return number === null ? this.#failAt(mobile, '`mobile` is no mobile number.') : { mobile: number };
    }
    if (last === undefined) return 'anyone';
    if (!/^\d{1,15}$/.test(last.text)) this.#failAt(last, '`last` must be the last digits of a number.');
    return { last: last.text };
  }

  #whole(value: Value | undefined, least: number): number | null {
    if (value === undefined) return null;
    const number = value.value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
    return this.#failAt(value, `Must be a whole number of at least ${least}.`);
  }

  #code(value: Value | undefined, name: AnswerName): string {
    if (value === undefined) return OK.code;
    if (name !== '200_fail_code') this.#failAt(value, '`code` belongs to the answer `200_fail_code` only.');
    if (value.text === '' || value.text === '200') this.#failAt(value, '`code` must be a code of a failure.');
    return value.text;
  }

  #accepted(value: Value | undefined, answer: { name: AnswerName; code: string }): boolean | null {
    if (value === undefined) return null;
    if (typeof value.value !== 'boolean') this.#failAt(value, '`accepted` must be true or false.');
    const fate = fateOf(answer.name, answer.code);
    if (fate === 'coin') return value.value;
    return this.#failAt(
      value,
      `\`accepted\` cannot be given here: after this answer the message is always ${fate}.`,
    );
  }

  #failAt(value: Value, message: string): never {
    return this.#fail(message, value.node.range?.[0] ?? 0);
  }

  #fail(message: string, offset: number): never {
    const { line, col } = this.#lines.linePos(offset);
    throw new SandboxError('script_invalid', { message, where: `${this.#file}:${line}:${col}` });
  }
}
