/**
 * Reads a webhook's bytes into records of named texts, whatever their content type: JSON, a URL-encoded form,
 * or the query. Every number keeps its digits, because a provider's ids may be wider than a double. Nothing
 * here throws: a body of another format gives no records.
 */
export interface RawWebhook {
  /** The query without its question mark. */
  query: string;
  body: Uint8Array;
}

/** One object of the payload. Keys are plain (`plainKey`), and nested keys are joined by a dot. */
export interface WebhookRecord {
  /** Without surrounding blanks, and never empty. */
  fields: Map<string, string>;
  /** The same texts with surrounding blanks, where they have some. */
  whole: Map<string, string>;
  /** The surrounding object, when this one came out of a wrapper such as `results`. */
  envelope: WebhookRecord | null;
  /** The records of its wrappers. */
  inner: WebhookRecord[];
}

const MAX_DEPTH = 16;
const JSON_BEGINS = /^[[{]/;
/** Markup, or a multipart form. Read as a form of pairs, the text of a stranger in it could name a field. */
const NOT_READ = /^(?:<|--)/;

const decoder = new TextDecoder('utf-8');

/** Lower case, without `-`, `_` and spaces, so that all spellings of a field's name are equal. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_\s]/g, '');
}

/**
 * The outermost records of a payload; the query's when the body is empty. `wrappers` are plain keys whose
 * objects become records of their own. A body of another format has no records, whatever its query.
 */
export function readRecords(raw: RawWebhook, wrappers: ReadonlySet<string>): WebhookRecord[] {
  const records = readBody(decoder.decode(raw.body).trim(), wrappers);
  if (records === null) return [];
  if (records.some((each) => each.fields.size > 0 || each.inner.length > 0)) return records;
  return readForm(raw.query, wrappers) ?? [];
}

/** Null: the body has another format. */
function readBody(text: string, wrappers: ReadonlySet<string>): WebhookRecord[] | null {
  if (NOT_READ.test(text)) return null;
  return JSON_BEGINS.test(text) ? recordsOf(parseJson(text), null, wrappers) : readForm(text, wrappers);
}

/** Null: a field occurs twice. Such a form may concern several messages, and its values cannot be matched. */
function readForm(text: string, wrappers: ReadonlySet<string>): WebhookRecord[] | null {
  const pairs = [...new URLSearchParams(text)];
  const names = new Set(pairs.map(([name]) => name));
  return names.size < pairs.length ? null : [recordOf(pairs, null, wrappers)];
}

/** Undefined: it is no JSON, or nests too deep. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text, numberAsWritten);
    return nestsDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

function numberAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => nestsDeeper(each, levels - 1));
}

/** The records of parsed JSON. An empty object gives none. */
function recordsOf(
  value: unknown,
  envelope: WebhookRecord | null,
  wrappers: ReadonlySet<string>,
): WebhookRecord[] {
  if (Array.isArray(value)) return value.flatMap((item) => recordsOf(item, envelope, wrappers));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return entries.length === 0 ? [] : [recordOf(entries, envelope, wrappers)];
}

type Entries = [key: string, value: unknown][];

function recordOf(
  entries: Entries,
  envelope: WebhookRecord | null,
  wrappers: ReadonlySet<string>,
): WebhookRecord {
  const record: WebhookRecord = { fields: new Map(), whole: new Map(), envelope, inner: [] };
  fill(record, entries, { prefix: '', wrappers });
  return record;
}

/** The position in a nested object. The wrappers below a wrapper are read with its own records. */
interface Place {
  prefix: string;
  wrappers: ReadonlySet<string>;
}

const NO_WRAPPERS: ReadonlySet<string> = new Set();

function fill(record: WebhookRecord, entries: Entries, { prefix, wrappers }: Place): void {
  for (const [key, value] of entries) {
    const leaf = plainKey(key);
    const name = prefix + leaf;
    if (typeof value === 'string' || typeof value === 'boolean') addText(record, name, String(value));
    if (typeof value !== 'object' || value === null) continue;
    const wraps = wrappers.has(leaf);
    if (wraps) record.inner.push(...recordsOf(value, record, wrappers));
    // A wrapper stays readable as a nested object of the outer one, too.
    const below = { prefix: `${name}.`, wrappers: wraps ? NO_WRAPPERS : wrappers };
    if (!Array.isArray(value)) fill(record, Object.entries(value), below);
  }
}

/** The first spelling with a value wins. */
function addText(record: WebhookRecord, name: string, value: string): void {
  const text = value.trim();
  if (text === '' || record.fields.has(name)) return;
  record.fields.set(name, text);
  if (text !== value) record.whole.set(name, value);
}
