import { gsmSafe } from './gsm-safe.ts';
import { isGsm } from './gsm.ts';
import { splitTemplate, type TemplateSource } from './template-tags.ts';

/** A piece of a text: one character that forces UCS-2, or all between two of them. */
export interface MarkedPiece {
  text: string;
  isCostly: boolean;
}

/** A character of a text that forces UCS-2, with the words around it. */
export interface CostlyCharacter {
  character: string;
  /** What `gsmSafe` writes in its place; empty: nothing, because nobody sees it. Null: it has none. */
  replacement: string | null;
  before: string;
  after: string;
}

/** Characters around a costly one that show where it stands. */
const AROUND = 16;
/** A tag has two signs before its words and two behind. */
const TAG_SIGNS = 4;

/** Cuts a text at the characters that force UCS-2, one piece each. */
export function markCostly(text: string): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  for (const character of text) {
    const isCostly = !isGsm(character);
    const last = pieces.at(-1);
    if (isCostly || last === undefined || last.isCostly) pieces.push({ text: character, isCostly });
    else last.text += character;
  }
  return pieces;
}

/** Each different character of a text that forces UCS-2, where it first stands; at most `most`. */
export function costlyCharacters(text: string, most: number): CostlyCharacter[] {
  const found = new Map<string, CostlyCharacter>();
  let at = 0;
  for (const { text: character, isCostly } of markCostly(text)) {
    if (isCostly && !found.has(character) && found.size < most) {
      const safe = gsmSafe(character);
      const end = at + character.length;
      found.set(character, {
        character,
        replacement: isGsm(safe) ? safe : null,
        before: wholeWords(text.slice(Math.max(0, at - AROUND), at), at > AROUND, /^\S*\s/),
        after: wholeWords(text.slice(end, end + AROUND), end + AROUND < text.length, /\s\S*$/),
      });
    }
    at += character.length;
  }
  return [...found.values()];
}

/** Words around a character without one that is cut, where there are others. */
function wholeWords(words: string, isCut: boolean, cut: RegExp): string {
  return isCut ? words.replace(cut, '') : words;
}

/** The source of a template whose own text has its characters replaced as `gsmSafe` does; its fields stay. */
export function gsmSafeTemplate(template: TemplateSource): string {
  return splitTemplate(template)
    .map(({ kind, text, offset }) =>
      kind === 'text' ? gsmSafe(text) : template.source.slice(offset, offset + text.length + TAG_SIGNS),
    )
    .join('');
}
