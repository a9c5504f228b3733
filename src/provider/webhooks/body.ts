/**
 * Reads the bytes of a webhook into records of named texts, whatever content type they claim: JSON (one value, or one a
 * line), a URL-encoded form, or the query. Every number keeps its digits, because a provider's ids may be wider than a double.
 * Nothing in here throws: a body of another format gives no records.
 */
export interface RawWebhook {
  /** Without the question mark. */
  query: string;
  body: Uint8Array;
}

/** One object of the payload. Keys are plain (`plainKey`), and joined by a dot where objects are nested. */
export interface WebhookRecord {
  fields: Map<string, string>;
  /** Texts that `fields` does not hold to the last character: with blanks around them, or longer than a field is. */
  whole: Map<string, string>;
  /** The object around it, when this one came out of a wrapper such as `results`. */
  envelope: WebhookRecord | null;
  /** What was found in its wrappers. */
  inner: WebhookRecord[];
}

const MAX_DEPTH = 16;
/** More than the 64 kB that the collector takes can hold, so that none is lost: `{"":1},` is the shortest that says anything. */
const MAX_RECORDS = 10_000;
const MAX_FIELDS = 256;
const MAX_TEXT_CHARS = 1_000;
/** A chat message may be longer than any SMS. */
const MAX_WHOLE_CHARS = 65_536;
const JSON_BEGINS = /^\s*[[{]/;
/** Markup, or a multipart form. Read as a form of pairs, the text of a stranger in it could name a field. */
const NOT_READ = /^(?:<|--)/;

const decoder = new TextDecoder('utf-8');

/** Lower case, without `-`, `_` and spaces, so that every spelling of a field's name is one name. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_\s]/g, '');
}

/**
 * The outermost records of a payload; the query's where the body says nothing. `wrappers` are plain keys that make a record
 * of their own of each object below them. A body that is not read has no records, whatever its query says.
 */
export function readRecords(raw: RawWebhook, wrappers: ReadonlySet<string>): WebhookRecord[] {
  const records = readBody(decoder.decode(raw.body).trim(), wrappers);
  if (records === null) return [];
  if (records.some((each) => each.fields.size > 0 || each.inner.length > 0)) return records;
  return readForm(raw.query, wrappers) ?? [];
}

/** Null: the body is of a format that is not read. */
function readBody(text: string, wrappers: ReadonlySet<string>): WebhookRecord[] | null {
  if (NOT_READ.test(text)) return null;
  return JSON_BEGINS.test(text) ? readJson(text, wrappers) : readForm(text, wrappers);
}

/** Null: a field stands there twice. Such a form may speak of several messages, and which values belong together is a guess. */
function readForm(text: string, wrappers: ReadonlySet<string>): WebhookRecord[] | null {
  const pairs = [...new URLSearchParams(text)];
  const names = new Set(pairs.map(([name]) => name));
  return names.size < pairs.length ? null : [new RecordReader(wrappers).record(pairs, null)];
}

function readJson(text: string, wrappers: ReadonlySet<string>): WebhookRecord[] {
  return new RecordReader(wrappers).read(parseShallow(text), null);
}

/** Undefined: it is no JSON, or nests too deep. */
function parseShallow(text: string): unknown {
  return nestsTooDeep(text) ? undefined : (parseJson(text) ?? parseLines(text));
}

/** Undefined: it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, numberAsWritten);
  } catch {
    return undefined;
  }
}

/** A value a line. With a line that is none it is not this format, and what stands between line ends was meant otherwise. */
function parseLines(text: string): unknown[] | undefined {
  const values: unknown[] = [];
  for (const line of text.split('\n')) {
    const value = line.trim() === '' ? null : parseJson(line);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function numberAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/** Checked on the text, because the reviver recurses: 100,000 brackets would exhaust the stack. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (OPENING.has(code) && ++depth > MAX_DEPTH) return true;
    else if (CLOSING.has(code)) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Turns parsed JSON, or the fields of a form, into records, counting them. */
class RecordReader {
  readonly #wrappers: ReadonlySet<string>;
  #count = 0;

  constructor(wrappers: ReadonlySet<string>) {
    this.#wrappers = wrappers;
  }

  read(value: unknown, envelope: WebhookRecord | null): WebhookRecord[] {
    if (Array.isArray(value)) return value.flatMap((item) => this.read(item, envelope));
    if (typeof value !== 'object' || value === null || this.#count >= MAX_RECORDS) return [];
    // An empty object says nothing, and a body of nothing else would be the dearest to read.
    const entries = Object.entries(value);
    return entries.length === 0 ? [] : [this.record(entries, envelope)];
  }

  record(entries: Entries, envelope: WebhookRecord | null): WebhookRecord {
    this.#count++;
    const record = emptyRecord(envelope);
    this.#fill(record, entries, { prefix: '', open: true });
    return record;
  }

  #fill(record: WebhookRecord, entries: Entries, place: Place): void {
    for (const [key, given] of entries) {
      const name = place.prefix + plainKey(key);
      const value = this.#opened(key, given);
      if (typeof value === 'string' || typeof value === 'boolean') addText(record, name, String(value));
      else if (typeof value === 'object' && value !== null) this.#enter(record, value, { ...place, name });
    }
  }

  /** `payload={…}` of a form, `"payload": "{…}"` of a relay: a wrapper's text may be the JSON of what it wraps. */
  #opened(key: string, value: unknown): unknown {
    const isJson = typeof value === 'string' && this.#wrappers.has(plainKey(key)) && JSON_BEGINS.test(value);
    return isJson ? (parseShallow(value) ?? value) : value;
  }

  /** A wrapper holds records of its own, and stays readable as a nested object of the outer one too. */
  #enter(record: WebhookRecord, value: object, place: Place & { name: string }): void {
    const leaf = place.name.slice(place.prefix.length);
    const wraps = place.open && this.#wrappers.has(leaf);
    if (wraps) record.inner.push(...this.read(value, record));
    if (!Array.isArray(value))
      this.#fill(record, Object.entries(value), { prefix: `${place.name}.`, open: place.open && !wraps });
  }
}

type Entries = [key: string, value: unknown][];

/** Where in a nested object we are. `open`: wrappers below are still to be read (those in a wrapper were already). */
interface Place {
  prefix: string;
  open: boolean;
}

function emptyRecord(envelope: WebhookRecord | null): WebhookRecord {
  return { fields: new Map(), whole: new Map(), envelope, inner: [] };
}

/** The first spelling that has a value wins. */
function addText(record: WebhookRecord, name: string, value: string): void {
  const text = value.trim();
  if ((text !== value || text.length > MAX_TEXT_CHARS) && text !== '') addWhole(record, name, value);
  if (text === '' || text.length > MAX_TEXT_CHARS || record.fields.has(name)) return;
  if (record.fields.size < MAX_FIELDS) record.fields.set(name, text);
}

function addWhole(record: WebhookRecord, name: string, value: string): void {
  if (value.length > MAX_WHOLE_CHARS || record.whole.has(name) || record.fields.has(name)) return;
  if (record.whole.size < MAX_FIELDS) record.whole.set(name, value);
}
