/**
 * The wish of an inbound message: no more promotional messages, such messages again, or perhaps no more of
 * them, which a person has to read.
 */
export type Wish = 'stop' | 'start' | 'maybe_stop';

/** Reads the wish of a text. `names` are the sender's own: "STOP DUKA" asks the same as "STOP". */
export type WishReader = (text: string, names?: readonly string[]) => Wish | null;

/** The lists of words that wishes are made of. Each entry is a word, or several in a row. */
export interface WishWords {
  /** A whole reply that asks to stop. */
  stop: readonly string[];
  /** A whole reply that lets back in. */
  start: readonly string[];
  /** What asks to stop together with an object. One that stands in `stop`, too, needs none. */
  verbs?: readonly string[];
  /** What a verb stops: "messages", "sending". */
  objects?: readonly string[];
  /** Small words between a verb and its object, and after it: "me", "your". */
  links?: readonly string[];
  /** Courtesy and haste, which change no wish wherever they stand. */
  fillers?: readonly string[];
  /** The beginnings of a signature at the end. */
  signatures?: readonly string[];
  /** Words of annoyed people. They stop nothing, and a person looks when they stand with a verb. */
  complaints?: readonly string[];
  /** Ordinary words that one slip makes of a word of stopping. */
  look_alikes?: readonly string[];
}

/** The length of two SMS; a longer message is for a person to read. */
const MAX_WISH_CHARS = 320;
/** A longer text than one SMS is no reply to a bulk message, and nobody is sent to read it. */
const MAX_MAYBE_CHARS = 160;
const MAX_SIGNATURE_CHARS = 80;
/** Shorter words are one slip away from too many others. */
const MIN_SLIP_CHARS = 4;
/** Accents that phones add, in Cyrillic and Greek too; vowel signs of other scripts are no accents. */
const ACCENTS = /[\u0300-\u036f]/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** A word with a code after it, with or without a blank: "STOP*456*9*5#". */
const WORD_AND_CODE = /^(\p{L}+)\s*([^\p{L}\s].*)$/u;
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{M}\p{N}\s]/gu;
const APOSTROPHES = /['’ʼ`´]/gu;
/** Dialled digits, with or without the signs at their ends. "45,695" is an amount and no "*456*9*5#". */
const CODE = /^[^\p{L}]*[*#][^\p{L}]*$/u;
const CLAUSE_END = /[.!?,;:…\n\r]+|\s[-–—]+\s/u;
/** A mobile after a word of stopping: "STOP 0712345678". */
const MOBILE = /^\d{9,13}$/;

/**
 * Makes the reader of wishes. A text is compared after NFKD (full width becomes plain), in lower case,
 * without accents, punctuation and surplus blanks. It has one of three outcomes:
 * - It asks to stop when it consists of words of stopping and of words that change nothing about them. One
 *   word that is in no list, and it asks for nothing: neither "unstoppable" nor "please stop by".
 * - It may ask to stop when it is short and holds something like such a wish (`maybe_stop`).
 * - It lets back in only when it *is* such a word.
 */
export function wishReader(words: WishWords): WishReader {
  const wishes = new Map<string, Wish>();
  for (const word of words.start) wishes.set(plainWords(word), 'start');
  // A word of both lists is a stop, because that mistake is the harmless one.
  for (const word of words.stop) wishes.set(plainWords(word), 'stop');
  wishes.delete('');
  const grammar = new StopGrammar(words);
  return (text, names = []) => {
    const said = text.trim();
    if (said.length > MAX_WISH_CHARS) return null;
    return wishes.get(plainWords(said)) ?? grammar.wishOf(plain(said), names);
  };
}

/** The replies that TUMA_OPT_OUT_TEXT asks for: a word with its code, with and without a blank. */
export function typedBack(optOutText: string): string[] {
  const text = optOutText.trim();
  const [, word, code] = WORD_AND_CODE.exec(text) ?? [];
  if (word === undefined || code === undefined) return text === '' ? [] : [text];
  return [`${word}${code}`, `${word} ${code}`];
}

/** What a word or several in a row can be in a wish. */
type Role = 'whole' | 'whole verb' | 'verb' | 'object' | 'link' | 'filler';

/**
 * What the words until here ask for: `nothing` yet; an `open` wish that may take an object, one with its
 * object (`closed`) or without any (`whole`); a verb that still needs its object (`pending`).
 */
type State = 'nothing' | 'pending' | 'open' | 'closed' | 'whole';

const ANEW = { whole: 'whole', 'whole verb': 'open', verb: 'pending' } as const;

/** What a word makes of the wish. A word that is not named here ends it: the text is no wish. */
const NEXT: Readonly<Record<State, Partial<Record<Role, State>>>> = {
  nothing: { ...ANEW, filler: 'nothing' },
  whole: { ...ANEW, filler: 'whole' },
  open: { ...ANEW, filler: 'open', link: 'pending', object: 'closed' },
  closed: { ...ANEW, filler: 'closed', link: 'closed', object: 'closed' },
  pending: { link: 'pending', object: 'closed' },
};

const ASKS: readonly State[] = ['whole', 'open', 'closed'];

/** The words of stopping, prepared for the comparison of many replies. */
class StopGrammar {
  readonly #roles = new Map<string, Role[]>();
  /** The most words of an entry. */
  #longest = 1;
  readonly #signature: RegExp | null;
  readonly #complaints: ReadonlySet<string>;
  readonly #lookAlikes: ReadonlySet<string>;
  /** The single words that may be mistyped. */
  readonly #stopWords: readonly string[];

  constructor({ stop, verbs = [], signatures = [], ...words }: WishWords) {
    // A code without a word is compared as a whole reply only, because 45,695 is an amount.
    const wholes = stop.flatMap(spellings).filter((each) => /\p{L}/u.test(each));
    const verbal = verbs.flatMap(spellings);
    this.#add(
      wholes.filter((each) => !verbal.includes(each)),
      'whole',
    );
    this.#add(
      verbal.filter((each) => !wholes.includes(each)),
      'verb',
    );
    this.#add(
      verbal.filter((each) => wholes.includes(each)),
      'whole verb',
    );
    this.#add((words.objects ?? []).flatMap(spellings), 'object');
    this.#add((words.links ?? []).flatMap(spellings), 'link');
    this.#add((words.fillers ?? []).flatMap(spellings), 'filler');
    this.#complaints = new Set(words.complaints?.flatMap(spellings));
    this.#lookAlikes = new Set(words.look_alikes?.flatMap(spellings));
    this.#stopWords = [...wholes, ...verbal].filter((each) => /^\p{L}+$/u.test(each));
    this.#signature = signatureOf(signatures.flatMap(spellings));
  }

  /** `said` is plain. */
  wishOf(said: string, names: readonly string[]): Wish | null {
    const named = new Set(names.flatMap((name) => spellings(name)).filter((name) => name !== ''));
    const signed = this.#signature === null ? said : said.replace(this.#signature, '');
    if (readings(signed).some((words) => this.#asks(words, named))) return 'stop';
    return said.length <= MAX_MAYBE_CHARS && this.#mayAsk(said, named) ? 'maybe_stop' : null;
  }

  #add(entries: readonly string[], role: Role): void {
    for (const entry of entries) {
      if (entry === '') continue;
      this.#roles.set(entry, [...(this.#roles.get(entry) ?? []), role]);
      this.#longest = Math.max(this.#longest, entry.split(' ').length);
    }
  }

  /** True: all of the words together ask to stop. */
  #asks(words: readonly string[], names: ReadonlySet<string>): boolean {
    const states: Set<State>[] = [new Set(['nothing']), ...words.map(() => new Set<State>())];
    for (const [index, reached] of states.entries())
      for (const { length, role } of this.#entriesAt(words, { index, names })) {
        const after = states[index + length];
        for (const next of [...reached].flatMap((state) => NEXT[state][role] ?? [])) after?.add(next);
      }
    return ASKS.some((state) => states.at(-1)?.has(state) === true);
  }

  /** The entries that begin at a word, with each of their roles. */
  *#entriesAt(
    words: readonly string[],
    { index, names }: { index: number; names: ReadonlySet<string> },
  ): Generator<{ length: number; role: Role }> {
    const most = Math.min(Math.max(this.#longest, ...[...names].map(wordCount)), words.length - index);
    for (let length = 1; length <= most; length += 1) {
      const entry = words.slice(index, index + length).join(' ');
      for (const role of this.#roles.get(entry) ?? []) yield { length, role };
      if (names.has(entry)) yield { length, role: 'filler' };
    }
  }

  /**
   * True: a mistyped wish, a wish that is a clause of its own beside others, or a verb together with a word
   * about messages.
   */
  #mayAsk(said: string, names: ReadonlySet<string>): boolean {
    const parts = said.split(CLAUSE_END).flatMap(readings);
    const mended = [...readings(said), ...parts].map((words) => words.map((word) => this.#mended(word)));
    if (mended.some((words) => this.#asks(words, names))) return true;
    return readings(said).some((words) => this.#complains(words.map((word) => this.#mended(word))));
  }

  #complains(words: readonly string[]): boolean {
    const about = (word: string) =>
      this.#complaints.has(word) || MOBILE.test(word) || (this.#roles.get(word)?.includes('object') ?? false);
    if (!words.some(about)) return false;
    const found = words.flatMap((_, index) => [...this.#entriesAt(words, { index, names: new Set() })]);
    return found.some(({ role }) => role === 'verb' || role === 'whole verb');
  }

  /** The word of stopping that this one is a slip of; itself where it is none, or another known word. */
  #mended(word: string): string {
    if (this.#roles.has(word) || this.#lookAlikes.has(word) || word.length < MIN_SLIP_CHARS - 1) return word;
    const typed = squeezed(lettersFor(word));
    const meant = this.#stopWords.find(
      (each) =>
        each.length >= MIN_SLIP_CHARS && (squeezed(each) === typed || isOneSlip(lettersFor(word), each)),
    );
    return meant ?? word;
  }
}

/** Lower case in one width, without accents and what cannot be seen. */
function plain(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(ACCENTS, '').replace(INVISIBLE, '');
}

function plainWords(said: string): string {
  const text = plain(said);
  if (CODE.test(text)) return (text.match(/\p{N}+/gu) ?? []).map((digits) => `*${digits}`).join('');
  return joined(text).join(' ');
}

/** The words of a plain text, with its punctuation inside of words and between them: "un-subscribe", "stop.stop". */
function readings(text: string): string[][] {
  return [joined(text), parted(text)];
}

function joined(text: string): string[] {
  return wordsOf(text.replace(NO_LETTER_OR_DIGIT, ''));
}

function parted(text: string): string[] {
  return wordsOf(text.replace(APOSTROPHES, '').replace(NO_LETTER_OR_DIGIT, ' '));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

function wordCount(entry: string): number {
  return entry.split(' ').length;
}

/** An entry of a list as both readings of a text may show it. */
function spellings(entry: string): string[] {
  return [...new Set(readings(plain(entry)).map((words) => words.join(' ')))];
}

/** Finds a signature at the end, on a line or in a sentence of its own. Null: there are no signatures. */
function signatureOf(beginnings: readonly string[]): RegExp | null {
  if (beginnings.length === 0) return null;
  const any = beginnings.map((each) => each.replaceAll(' ', '\\s+')).join('|');
  return new RegExp(`(?:[.!?,;:…\\n\\r]|\\s[-–—])\\s*(?:${any})\\b[^]{0,${MAX_SIGNATURE_CHARS}}$`, 'u');
}

const LOOKS_LIKE: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };

/** Digits as the letters that they look like: "st0p". */
function lettersFor(word: string): string {
  return /\p{L}/u.test(word) ? word.replace(/[013457]/g, (digit) => LOOKS_LIKE[digit] ?? digit) : word;
}

/** Without doubled letters: "stoppp". */
function squeezed(word: string): string {
  return word.replace(/(.)\1+/gu, '$1');
}

/** One letter more, less or another, or two neighbours in each other's place. */
function isOneSlip(typed: string, meant: string): boolean {
  let same = 0;
  while (same < typed.length && typed[same] === meant[same]) same += 1;
  const [left, right] = [typed.slice(same), meant.slice(same)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}
