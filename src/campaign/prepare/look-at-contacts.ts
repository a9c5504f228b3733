import { join } from 'node:path';
import type { ContactRow } from '../../contacts/contact-row.ts';
import type { ContactsSource } from '../../contacts/contacts-source.ts';
import { countSegments, ucs2Characters } from '../../domain/text/segments.ts';
import type { RowReason } from '../../domain/row-reason.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import { gsmSafe } from '../../domain/text/gsm-safe.ts';
import { wordsFor } from '../../domain/text/template-words.ts';
import { compileTemplate, type Template } from '../../domain/text/template.ts';
import type { JobKeys } from '../jobs/job-text.ts';
import { jobText } from '../jobs/job-text.ts';
import { type LoadedJob, loadJobText } from '../jobs/load-job.ts';
import { contactsOf, openJobContacts } from '../planning/job-contacts.ts';
import { rowFields } from '../planning/row-fields.ts';
import { keptSheet } from './kept-sheet.ts';
import { JOB_NAME } from './plan-order.ts';
import type { PrepareEnv } from './prepare-env.ts';
import type { ContactsLook, KeptContacts, PreviewMessage, PreviewOf } from './preparation.ts';

/* What a person sees of the kept contacts before anything is planned: the first rows, and messages made of them. */

const ROWS_SHOWN = 8;
/** A longer list has its longest message in the plan. */
const ROWS_LOOKED_AT = 50_000;

/** The parts that a look uses. */
export interface LookedAt {
  env: Pick<PrepareEnv, 'settings' | 'copies'>;
  folder: string;
  contacts: KeptContacts;
  job: Partial<JobKeys>;
}

/** Reads the first rows, also where a person has yet to choose the column of the numbers. Throws `contacts_invalid`. */
export async function lookAtContacts(looked: LookedAt): Promise<ContactsLook> {
  const loaded = await provisionalJob(looked);
  await using source = await sourceOf(looked, loaded);
  const { countries } = looked.env.settings;
  await using contacts = await openJobContacts(loaded, { contacts: source, countries, isUndecided: true });
  const rows: ContactsLook['rows'] = [];
  for await (const read of contacts.rows()) {
    rows.push(...read.slice(0, ROWS_SHOWN - rows.length).map(({ line, cells }) => ({ line, cells })));
    if (rows.length >= ROWS_SHOWN) break;
  }
  const { header, headerLine, mobileColumn: column, mobileGuess } = contacts;
  const { numbers, of } = mobileGuess;
  const { workbook } = source;
  return {
    sheets: workbook?.sheets ?? null,
    sheet: workbook?.sheet.name ?? null,
    headerLine,
    header,
    rows,
    mobile: column === -1 ? null : { column, numbers, of },
  };
}

/** The message of one row, as it would leave. Null: there is no such row. Throws `template_invalid` with its place. */
export async function previewMessage(looked: LookedAt, of: PreviewOf): Promise<PreviewMessage | null> {
  const loaded = await provisionalJob(looked);
  await using source = await sourceOf(looked, loaded);
  const { countries, currency } = looked.env.settings;
  await using contacts = await openJobContacts(loaded, { contacts: source, countries });
  const { job } = loaded;
  const { header } = contacts;
  const words = wordsFor({ ...job, currency });
  const template = compileTemplate({
    ...loaded.template,
    header,
    columns: job.columns,
    gsmSafe: job.gsmSafe,
    words,
  });
  const fieldsOf = rowFields(job, contacts, template.uses);
  const appended = job.kind === 'promotional' ? looked.env.settings.optOutText : '';
  const search = new RowSearch(of);
  let seen = 0;
  for await (const rows of contacts.rows()) {
    for (const row of rows) search.look(row, () => lengthOf(template, fieldsOf(row)));
    seen += rows.length;
    if (search.isOver || seen >= ROWS_LOOKED_AT) break;
  }
  if (search.found === null) return null;
  const { mobileColumn } = contacts;
  const mobile = parseMobile(search.found.cells[mobileColumn] ?? '', contacts.countries[0] ?? '');
  const unusable = mobile.ok ? null : mobile.reason;
  return messageOf(search.found, { template, fieldsOf, appended, unusable });
}

function lengthOf(template: Template, fields: string[]): number {
  const rendered = template.render(fields);
  return rendered.ok ? rendered.text.length : -1;
}

/** Finds one row while rows pass by. */
class RowSearch {
  readonly #of: PreviewOf;
  found: ContactRow | null = null;
  isOver = false;
  #length = -1;

  constructor(of: PreviewOf) {
    this.#of = of;
  }

  look(row: ContactRow, length: () => number): void {
    if (this.isOver) return;
    const of = this.#of;
    if (of === 'longest') this.#longest(row, length);
    else if (of === 'first') this.#take(row);
    else if ('line' in of) this.#take(row, row.line === of.line);
    else if ('after' in of) this.#take(row, row.line > of.after);
    else if (row.line < of.before) this.found = row;
    else this.isOver = true;
  }

  #take(row: ContactRow, isIt = true): void {
    if (!isIt) return;
    this.found = row;
    this.isOver = true;
  }

  #longest(row: ContactRow, length: () => number): void {
    const is = row.problem === null ? length() : -1;
    if (is <= this.#length) return;
    this.#length = is;
    this.found = row;
  }
}

function messageOf(
  row: ContactRow,
  {
    template,
    fieldsOf,
    appended,
    unusable,
  }: {
    template: Template;
    fieldsOf: (row: ContactRow) => string[];
    appended: string;
    /** Why the number of the row cannot be sent to; null: it can. */
    unusable: RowReason | null;
  },
): PreviewMessage {
  const { line } = row;
  const problem = row.problem ?? (unusable === null ? null : { reason: unusable, detail: '' });
  const rendered = problem === null ? template.render(fieldsOf(row)) : { ok: false as const, ...problem };
  if (!rendered.ok) {
    const { reason } = rendered;
    return { line, text: '', appended, segments: 0, encoding: 'gsm7', costly: [], problem: reason };
  }
  const { text } = rendered;
  const { segments, encoding } = countSegments(text + appended);
  const costly = ucs2Characters(text).map((character) => {
    const replacement = gsmSafe(character);
    return { character, replacement: replacement === character ? null : replacement };
  });
  return { line, text, appended, segments, encoding, costly, problem: null };
}

/** The job as far as it is known, so that a list can be looked at before there is a text. */
export function provisionalJob(
  { folder, job, contacts }: LookedAt,
  { keepsKey = false } = {},
): Promise<LoadedJob> {
  const { name = 'draft', kind = 'promotional', message } = job;
  const known = { ...job, name, kind, message: message === undefined || message === '' ? '.' : message };
  const { start: _start, remind: _remind, every: _every, key, ...timeless } = known;
  const keys = keepsKey && key !== undefined ? { ...timeless, key } : timeless;
  return loadJobText({ file: join(folder, JOB_NAME), source: jobText(keys, `./${contacts.file}`) });
}

/** The kept contacts as CSV. */
export function sourceOf({ env, folder, contacts }: LookedAt, loaded: LoadedJob): Promise<ContactsSource> {
  const path = join(folder, contacts.file);
  const source = () => contactsOf(loaded, path, { folder: env.copies, input: process.stdin });
  if (contacts.format === 'csv') return source();
  const { sheet, rows = 'all' } = loaded.job;
  return keptSheet({ folder, sha256: contacts.sha256, sheet, rows }, path, source);
}
