import { foldName, type FieldNames } from './template-fields.ts';
import { splitTemplate } from './template-tags.ts';

/*
 * Placeholders in the marks of other programs: {name}, ((name)), &lt;name&gt;, $name. All people would get them as
 * they stand. So a column's name between two marks is one, whatever the marks are.
 */

/** A placeholder as it stands in the text, and the name in it. */
export interface FieldLookalike {
  marked: string;
  name: string;
}

/** A sign, or one that HTML has spelled out. */
const SIGN = String.raw`(?:&(?:#\w{1,6}|[a-z]{2,6});|[^\p{L}\p{M}\p{N}\s])`;
const SIGNS = new RegExp(SIGN, 'giu');
const MOST_SIGNS = 8;
const CLOSING: Readonly<Record<string, string>> = {
  '{': '}',
  '[': ']',
  '(': ')',
  '<': '>',
  '«': '»',
  '‹': '›',
  '“': '”',
  '‘': '’',
  '„': '“',
};
/** Signs of sentences, words and addresses: between two different ones a name is a part of the text. */
const OF_TEXT = /^[.,;:!?'"’”“‘„_/+&\u2010-\u2015-]$/u;
/** One sign before the name is enough. */
const PREFIXES = new Set(['$', '@']);
/** Blanks may stand within these. */
const AROUND_BLANKS = { before: /^[{[(<«‹=%#|]$/u, after: /^[}\])>»›%#|]$/u };
const NOT_A_LETTER = /[^\p{L}\p{M}\p{N}]/gu;
const WORD = /[\p{L}\p{M}\p{N}]/u;

/** Finds the placeholders of a template that are in foreign marks, each once. */
export function fieldLookalikes(source: string, { header, columns }: FieldNames): FieldLookalike[] {
  const names = [...header, ...Object.keys(columns)].map(foldName).filter((name) => WORD.test(name));
  if (names.length === 0) return [];
  const pattern = patternOf(names);
  const found = new Map<string, FieldLookalike>();
  for (const { kind, text } of splitTemplate({ source, file: '' })) {
    if (kind !== 'text') continue;
    for (const match of text.normalize('NFC').matchAll(pattern)) {
      const lookalike = lookalikeOf(foundOf(match));
      if (lookalike !== null) found.set(lookalike.marked, lookalike);
    }
  }
  return [...found.values()];
}

/** Signs, a name, and the signs behind it, which may also be those before the next name. */
function patternOf(names: string[]): RegExp {
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  const any = longestFirst.map((name) => name.replaceAll(NOT_A_LETTER, anySign)).join('|');
  const run = `${SIGN}{1,${MOST_SIGNS}}`;
  return new RegExp(String.raw`(${run})(\s?)(${any})(?!\p{L}|\p{M}|\p{N})(?=(\s?)(${run})?)`, 'giu');
}

/** Folded names have single blanks. */
function anySign(sign: string): string {
  return sign === ' ' ? String.raw`\s+` : `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}

/** A name in the text with what stands around it. The signs begin with the innermost. */
interface Found {
  name: string;
  before: string[];
  after: string[];
  blankBefore: string;
  blankAfter: string;
  /** The characters beyond the signs. */
  outside: { before: string; after: string };
}

function foundOf(match: RegExpExecArray): Found {
  const [opening, blankBefore, name, blankAfter, closing] = match
    .slice(1, 6)
    .map((part: string | undefined) => part ?? '') as [string, string, string, string, string];
  const { input, index } = match;
  const end = index + match[0].length + blankAfter.length + closing.length;
  return {
    name,
    before: (opening.match(SIGNS) ?? []).toReversed(),
    after: closing.match(SIGNS) ?? [],
    blankBefore,
    blankAfter,
    outside: { before: input.charAt(index - 1), after: input.charAt(end) },
  };
}

function lookalikeOf(found: Found): FieldLookalike | null {
  const { name, before, after, blankBefore, blankAfter } = found;
  const hasBlanks = blankBefore + blankAfter !== '';
  if (hasBlanks ? mayHoldBlanks(found) : areMarks(found)) {
    const left = shownMarks(before);
    const right = shownMarks(after).slice(0, left.length);
    const marked = [...left.toReversed(), blankBefore, name, blankAfter, ...right].join('');
    return { marked, name };
  }
  return blankBefore === '' && isPrefix(found) ? { marked: `${before[0]}${name}`, name } : null;
}

function areMarks(found: Found): boolean {
  const [left, right] = [found.before[0], found.after[0]];
  if (left === undefined || right === undefined) return false;
  if (found.after.includes(CLOSING[left] ?? '')) return left !== '(' || isApart(found);
  if (!OF_TEXT.test(left) && !OF_TEXT.test(right)) return true;
  // Otherwise rock-name-roll and /name/ in an address would be placeholders.
  return left === right && isApart(found);
}

/** True: no word goes on beyond the signs. */
function isApart({ outside }: Found): boolean {
  return !WORD.test(outside.before) && !WORD.test(outside.after);
}

function mayHoldBlanks({ before, after }: Found): boolean {
  return AROUND_BLANKS.before.test(before[0] ?? '') && AROUND_BLANKS.after.test(after[0] ?? '');
}

function isPrefix({ before, outside }: Found): boolean {
  return PREFIXES.has(before[0] ?? '') && (before.length > 1 || !WORD.test(outside.before));
}

/** The signs that belong to the placeholder, from the innermost: not the comma behind it. */
function shownMarks(signs: string[]): string[] {
  const [first = ''] = signs;
  const isOther = OF_TEXT.test(first)
    ? (sign: string) => sign !== first
    : (sign: string) => OF_TEXT.test(sign);
  const end = signs.findIndex(isOther);
  return end === -1 ? signs : signs.slice(0, end);
}
