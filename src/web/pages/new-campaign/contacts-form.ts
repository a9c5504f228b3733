import type { ContactsLook } from '../../../campaign/prepare/preparation.ts';
import type { JobKeys } from '../../../campaign/jobs/job-text.ts';
import { CAMPAIGN_NAME, JOB_LIMITS } from '../../../domain/job.ts';
import { foldName } from '../../../domain/text/template-fields.ts';
import { type FormReading, type JobChange, type Typed, type WrongField } from './form-reading.ts';

/** What a column is used for: the numbers, what tells messages to one person apart, or text. */
export type ColumnUse = 'mobile' | 'key' | 'text';

/** The first step as its fields hold it. */
export interface ContactsValues {
  name: string;
  kind: string;
  sheet: string;
  header: string;
  /** The use of each column of the contacts. */
  uses: ColumnUse[];
}

/** The values of a job. `look`: the first rows of its contacts; null: there are none. */
export function contactsValues(job: Partial<JobKeys>, look: ContactsLook | null): ContactsValues {
  return {
    name: job.name ?? '',
    kind: job.kind ?? '',
    sheet: look?.sheet ?? job.sheet ?? '',
    header: job.header ?? (look === null ? '' : String(look.headerLine)),
    uses: look === null ? [] : usesOf(job, look),
  };
}

/** The values as they were typed. */
export function typedContacts(typed: Typed, before: ContactsValues): ContactsValues {
  return {
    name: typed['name'] ?? before.name,
    kind: typed['kind'] ?? before.kind,
    sheet: typed['sheet'] ?? before.sheet,
    header: typed['header'] ?? before.header,
    uses: before.uses.map((use, column) => readUse(typed[`column-${column}`]) ?? use),
  };
}

/** Reads the first step. Without `look` the columns are not asked for yet. */
export function readContacts(
  typed: Typed,
  { job, look }: { job: Partial<JobKeys>; look: ContactsLook | null },
): FormReading {
  const before = contactsValues(job, look);
  const values = typedContacts(typed, before);
  const wrong: WrongField[] = [];
  const change: JobChange = {};
  const name = values.name.trim();
  if (name === '') wrong.push({ field: 'name', problem: 'nameMissing' });
  else if (!CAMPAIGN_NAME.test(name) || name.length > JOB_LIMITS.nameLength)
    wrong.push({ field: 'name', problem: 'nameWrong' });
  else change.name = name;
  if (values.kind === 'promotional' || values.kind === 'transactional') change.kind = values.kind;
  else wrong.push({ field: 'promotional', problem: 'kindMissing' });
  const named = { job: change, wrong };
  return look === null ? named : both(named, readFile({ look, values, before, job }));
}

interface FileReading {
  look: ContactsLook;
  values: ContactsValues;
  before: ContactsValues;
  job: Partial<JobKeys>;
}

/** The columns of another sheet or below another heading are other ones, so then they are not read. */
function readFile(reading: FileReading): FormReading {
  const place = readPlace(reading);
  return Object.keys(place.job).length > 0
    ? place
    : both(place, both(readMobiles(reading), readKey(reading)));
}

function both(one: FormReading, other: FormReading): FormReading {
  return { job: { ...one.job, ...other.job }, wrong: [...one.wrong, ...other.wrong] };
}

/** Where the columns are named: the sheet, and the line of the headings. */
function readPlace({ look, values, before }: FileReading): FormReading {
  const job: JobChange = look.sheets !== null && values.sheet !== look.sheet ? { sheet: values.sheet } : {};
  const header = values.header.trim();
  if (header === '' || header === before.header) return { job, wrong: [] };
  const isLine = /^\d{1,4}$/.test(header) && Number(header) >= 1 && Number(header) <= JOB_LIMITS.headerLine;
  if (!isLine) return { job, wrong: [{ field: 'header', problem: 'headerWrong' }] };
  return { job: { ...job, header }, wrong: [] };
}

function readMobiles({ look, values, before, job }: FileReading): FormReading {
  const mobiles = namesOf(look, values.uses, 'mobile');
  const [first = '', ...others] = mobiles;
  if (mobiles.length === 0) return { job: {}, wrong: [{ field: 'column-0', problem: 'mobileMissing' }] };
  if (isSame(values.uses, before.uses, 'mobile')) return NOTHING;
  const mobile = others.length === 0 ? first : mobiles;
  return { job: { columns: { ...withoutMobile(job.columns), mobile } }, wrong: [] };
}

function readKey({ look, values, before }: FileReading): FormReading {
  if (isSame(values.uses, before.uses, 'key')) return NOTHING;
  const keys = namesOf(look, values.uses, 'key');
  return { job: { key: keys.length === 0 ? null : keys }, wrong: [] };
}

const NOTHING: FormReading = { job: {}, wrong: [] };

/** The keys to remove because new contacts do not have their columns. */
export function withoutLostColumns(job: Partial<JobKeys>, header: readonly string[]): JobChange {
  const has = new Set(header.map(foldName));
  const change: JobChange = {};
  const columns = Object.entries(job.columns ?? {});
  const kept = columns.filter(([, names]) => [names].flat().every((name) => has.has(foldName(name))));
  if (kept.length < columns.length) change.columns = kept.length === 0 ? null : Object.fromEntries(kept);
  if (job.key !== undefined && ![job.key].flat().every((name) => has.has(foldName(name)))) change.key = null;
  return change;
}

function usesOf(job: Partial<JobKeys>, { header, mobile }: ContactsLook): ColumnUse[] {
  const named = Object.entries(job.columns ?? {}).find(([ours]) => foldName(ours) === 'mobile')?.[1];
  const mobiles = new Set([named ?? []].flat().map(foldName));
  const keys = new Set([job.key ?? []].flat().map(foldName));
  return header.map((name, column) => {
    const folded = foldName(name);
    if (named === undefined ? column === mobile?.column : mobiles.has(folded)) return 'mobile';
    return keys.has(folded) ? 'key' : 'text';
  });
}

function withoutMobile(columns: JobKeys['columns']): NonNullable<JobKeys['columns']> {
  return Object.fromEntries(Object.entries(columns ?? {}).filter(([ours]) => foldName(ours) !== 'mobile'));
}

function namesOf({ header }: ContactsLook, uses: readonly ColumnUse[], use: ColumnUse): string[] {
  return header.filter((name, column) => uses[column] === use && name.trim() !== '');
}

function isSame(uses: readonly ColumnUse[], before: readonly ColumnUse[], use: ColumnUse): boolean {
  return uses.every((each, column) => (each === use) === (before[column] === use));
}

function readUse(text: string | undefined): ColumnUse | null {
  return text === 'mobile' || text === 'key' || text === 'text' ? text : null;
}
