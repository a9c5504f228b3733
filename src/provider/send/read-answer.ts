import { plainKey } from '../webhooks/body.ts';

/** The fields of an answer by their role, as the exact text; null when absent or blank. */
export type Answer<Role extends string> = Record<Role, string | null>;

/** Reads a body. `text` is the sent message; words that repeat it do not count. Null: no single object. */
export type ReadAnswer<Role extends string> = (body: string, text: string) => Answer<Role> | null;

interface FieldRow<Role extends string> {
  role: Role;
  /** The role's place in `ranks`. */
  index: number;
  /** Place among the role's variants; the lowest wins. */
  rank: number;
}

type JsonObject = Record<string, unknown>;

/** The reader follows wrappers inside wrappers this deep. */
const MOST_DEPTH = 3;
/** The most remembered spellings of field names, so that ever new names do not fill the memory. */
const MOST_SPELLINGS = 1_000;
/** A value this long that matches the beginning of the text counts as an echo. */
const FEWEST_ECHOED = 20;
/** Only these roles may echo the text: a short text of digits may also be part of a messageid or a number. */
const MAY_ECHO: ReadonlySet<string> = new Set(['words', 'error']);
/** These roles hold an amount of money. */
const AMOUNTS: ReadonlySet<string> = new Set(['cost', 'credit', 'credits']);
/** An `error` that is only a flag. */
const FLAG = /^(?:\P{L}*|true|false|none|null)$/iu;
/** This object has no field of the role so far. */
const UNRANKED = -1;

/** The rows of the provider's profile that an answer reader needs. */
interface AnswerShape<Role extends string> {
  wrappers: string[];
  fields: Record<Role, string[]>;
}

/** A number whose source text `String` would change. */
class ExactNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Makes a reader of the provider's answers. Field names are compared without case, `-`, `_` and spaces, and a
 * dot goes one object deeper. Fields of an inner object win over those around it. Numbers keep their exact
 * text, so that no id loses digits.
 */
export function createAnswerReader<Role extends string>(shape: AnswerShape<Role>): ReadAnswer<Role> {
  const roles = Object.keys(shape.fields) as Role[];
  const blank = Object.fromEntries(roles.map((role) => [role, null])) as Answer<Role>;
  const rows = fieldRows(shape);
  const fieldOf = bySpelling(rows);
  const isOnPath = pathsAbove([...rows.keys()]);
  const isWrapper = bySpelling(new Map(shape.wrappers.map((name) => [name, true])));
  const ranks = roles.map(() => UNRANKED);
  return (body, text) => {
    const layers = layersOf(parseExactly(body), isWrapper);
    if (layers === null) return null;
    const answer = { ...blank };
    for (const layer of layers)
      fillFrom(layer, { answer, fieldOf, isOnPath, text, ranks: ranks.fill(UNRANKED) });
    return answer;
  };
}

/**
 * Finds numbers that JavaScript writes differently: sixteen digits or more, an exponent, a zero at the end of
 * decimals. Also many zeros after the point, and a negative zero. A match inside a string only costs time.
 */
const UNFAITHFUL = /(?:^|[:[,])\s*-?(?:\d[\d.]{15}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{5}|(?<=-)0)/;

/** The reviver of JSON.parse with the source of primitive values, which the types lack so far. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepSource: Reviver = (_key, value, context) =>
  typeof value === 'number' ? new ExactNumber(context.source ?? '') : value;

/** Parses JSON. A number that `String` would change becomes an `ExactNumber`. Undefined: no JSON. */
export function parseExactly(body: string): unknown {
  const json = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  try {
    // The reviver costs five times the parsing itself.
    return UNFAITHFUL.test(json) ? JSON.parse(json, keepSource as never) : JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The function joins `words` and `error`, because either may hold the real reason. */
export function withAllWords<Role extends string>(
  answer: Answer<Role | 'words' | 'error'> | null,
): Answer<Role | 'words' | 'error'> | null {
  if (answer === null) return null;
  const { words, error } = answer;
  if (words === null || error === null || FLAG.test(error)) return { ...answer, words: words ?? error };
  return words.includes(error) ? answer : { ...answer, words: `${words}. ${error}` };
}

/** The object and its wrapped objects, innermost first; null: no object, or one of several recipients. */
function layersOf(value: unknown, isWrapper: (key: string) => boolean | undefined): JsonObject[] | null {
  const layers: JsonObject[] = [];
  let current = onlyObject(value);
  while (current !== null && layers.length < MOST_DEPTH) {
    layers.unshift(current);
    current = wrappedIn(current, isWrapper);
  }
  return layers.length === 0 ? null : layers;
}

function wrappedIn(object: JsonObject, isWrapper: (key: string) => boolean | undefined): JsonObject | null {
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value !== 'object' || value === null || !isWrapper(key)) continue;
    const inner = onlyObject(value);
    if (inner !== null) return inner;
  }
  return null;
}

function onlyObject(value: unknown): JsonObject | null {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof single === 'object' &&
    single !== null &&
    !Array.isArray(single) &&
    !(single instanceof ExactNumber)
    ? (single as JsonObject)
    : null;
}

interface Filling<Role extends string> {
  answer: Answer<Role>;
  fieldOf: (key: string) => FieldRow<Role> | undefined;
  /** True: a row of the profile goes deeper into this object. Null: no row does. */
  isOnPath: ((key: string) => boolean | undefined) | null;
  text: string;
  /** By role: the rank of the variant that was read from this object. All answers share the array. */
  ranks: number[];
}

function fillFrom<Role extends string>(layer: JsonObject, filling: Filling<Role>, above = ''): void {
  const { fieldOf, isOnPath } = filling;
  for (const key of Object.keys(layer)) {
    const path = above + key;
    const row = fieldOf(path);
    if (row !== undefined) take(filling, row, layer[key]);
    if (isOnPath === null || isOnPath(path) !== true) continue;
    const inner = onlyObject(layer[key]);
    if (inner !== null) fillFrom(inner, filling, `${path}.`);
  }
}

function take<Role extends string>(filling: Filling<Role>, row: FieldRow<Role>, found: unknown): void {
  const { answer, text, ranks } = filling;
  const value = read(row.role, found);
  if (value === null) return;
  const rank = ranks[row.index] ?? UNRANKED;
  const better = rank === UNRANKED ? answer[row.role] === null : row.rank < rank;
  if (!better || (MAY_ECHO.has(row.role) && echoes(value, text))) return;
  answer[row.role] = value;
  ranks[row.index] = row.rank;
}

/** Finds the objects on the way of the paths with a dot; null: no path has one. */
function pathsAbove(paths: string[]): ((key: string) => boolean | undefined) | null {
  const above = paths.flatMap((path) =>
    [...path.matchAll(/\./g)].map(({ index }) => [path.slice(0, index), true] as const),
  );
  return above.length === 0 ? null : bySpelling(new Map(above));
}

function read(role: string, value: unknown): string | null {
  return AMOUNTS.has(role) ? amountText(value) : textOf(value);
}

/** Null: blank, or neither a number nor a text. */
function textOf(value: unknown): string | null {
  const number = numberText(value);
  if (number !== null) return number;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** The exact text of a number in parsed JSON; null: it is none. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.source : null;
}

/** The point of a JSON number is its decimal mark. A fourth decimal says so, because "1.000" may be 1000. */
function amountText(value: unknown): string | null {
  const number = numberText(value);
  return number === null ? textOf(value) : number.replace(/^\d+\.\d{3}$/, '$&0');
}

/** The amount that is a whole body: `545.00` or `"545.00"`; null: the body is something else. */
export function amountAlone(body: string): string | null {
  return amountText(parseExactly(body));
}

function echoes(value: string, text: string): boolean {
  if (text === '') return false;
  return value.includes(text) || (value.length >= FEWEST_ECHOED && text.startsWith(value));
}

function fieldRows<Role extends string>(shape: AnswerShape<Role>): Map<string, FieldRow<Role>> {
  const rows = new Map<string, FieldRow<Role>>();
  for (const [index, role] of (Object.keys(shape.fields) as Role[]).entries()) {
    for (const [rank, name] of shape.fields[role].entries()) {
      const key = plainKey(name);
      if (!rows.has(key)) rows.set(key, { role, index, rank });
    }
  }
  return rows;
}

/** Finds a row by any spelling of its name, and remembers the spellings. */
function bySpelling<Row>(rows: Map<string, Row>): (key: string) => Row | undefined {
  const normalised = new Map([...rows].map(([name, row]) => [plainKey(name), row]));
  const known = new Map<string, Row | undefined>();
  return (key) => {
    if (known.has(key)) return known.get(key);
    const row = normalised.get(plainKey(key));
    if (known.size < MOST_SPELLINGS) known.set(key, row);
    return row;
  };
}

/** Placeholders for a missing id, such as 0 or none. A real id may be all letters. */
const NO_ID =
  /^(?:-1|[^\p{L}\p{N}]*(?:0[^\p{L}1-9]*|none|null|nill?|n\/?a|nan|undefined|false|empty|unknown|error|failed|failure|rejected|invalid|no[ _-]?id|not[ _-]?(?:available|found|sent|set))?[^\p{L}\p{N}]*)$/iu;

/** True: the id is real, not a placeholder. */
export function isGivenId(messageId: string | null | undefined): messageId is string {
  return typeof messageId === 'string' && !NO_ID.test(messageId.trim());
}
