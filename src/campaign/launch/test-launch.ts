import { reasonText } from '../../domain/row-reason.ts';
import type { Readable } from 'node:stream';
import { writeFile } from 'node:fs/promises';
import type { ContactRow } from '../../contacts/contacts-file.ts';
import { copyPlace } from '../../contacts/contacts-source.ts';
import type { SheetFacts } from '../../contacts/workbook/workbook.ts';
import { type RowFields, rowFields } from '../planning/row-fields.ts';
import { toCsvLine } from '../../contacts/line-cells.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { type Job, JOB_LIMITS } from '../../domain/job.ts';
import { countSegments } from '../../domain/text/segments.ts';
import { wordsFor } from '../../domain/text/template-words.ts';
import { compileTemplate, type Template } from '../../domain/text/template.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import { confirmLaunch, discardLaunch } from './confirm-launch.ts';
import type { LaunchEnv } from './launch-settings.ts';
import { previewLaunch, readLaunchFiles, type LaunchFiles } from './preview-launch.ts';
import { hashesOf, openJobContacts } from '../planning/job-contacts.ts';

/** Which message is tried, and where it goes. */
export interface TestRequest {
  /** The path of the job file, or the job. */
  job: string | LoadedJob;
  contacts: string | null;
  /** The row of this line; null: the one with the longest text. */
  line: number | null;
  /** The numbers that get it, as they were typed. */
  to: readonly string[];
  gsm: boolean;
  currency: string;
  /** The countries that may be sent to; the first is that of numbers without a country. */
  countries: readonly string[];
  /** Where the one-row list is written until it is launched. */
  folder: string;
  /** Standard input, for contacts that come from it. */
  input: Readable;
  /** The text that the provider adds to promotional messages. */
  optOutText: string;
  /** The time, as it stands in the name of the test. */
  at: string;
}

/** A test as files of a launch, the text that it sends, and the line that it was made from. */
export interface TestFiles extends AsyncDisposable {
  files: LaunchFiles;
  line: number;
  text: string;
  segments: number;
}

/**
 * Makes a campaign of its own from one real row of a job, for the numbers of the user: at once, at any hour, without start,
 * canary, guards or budget. Throws `no_usable_row` when no row can be rendered, and `not_found` for a line without a row.
 */
export async function testFiles(request: TestRequest): Promise<TestFiles> {
  if (request.to.length > JOB_LIMITS.testPhones)
    throw new TumaError('usage', {
      message: `A test goes to at most ${JOB_LIMITS.testPhones} phones; launch a campaign for more.`,
    });
  const { loaded, contacts } = await readLaunchFiles(request.job, request.contacts, request);
  await using _ = contacts;
  const row = await findRow(request, { loaded, contacts });
  const { file: path, dispose } = await copyPlace(request.folder);
  try {
    const lines = request.to.map((number) =>
      toCsvLine(
        [row.cells, row.shown ?? []].flatMap((cells) =>
          cells.length === 0 ? [] : cells.with(row.mobileColumn, number),
        ),
        ',',
      ),
    );
    await writeFile(path, `${[toCsvLine(row.header, ','), ...lines].join('\n')}\n`, { mode: 0o600 });
    const job = testJob(loaded.job, { at: request.at, mobile: row.header[row.mobileColumn] ?? '' });
    const tested = { ...loaded, job };
    const one = { path, file: path, workbook: layoutOf(row, contacts), [Symbol.asyncDispose]: dispose };
    const files = { loaded: tested, contacts: one, hashes: await hashesOf(tested, one) };
    const { optOutText } = request;
    const appended = loaded.job.kind === 'promotional' ? optOutText : '';
    const { segments } = countSegments(row.text + appended);
    return { files, line: row.line, text: row.text, segments, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** How a test is launched. */
export interface TestLaunch {
  files: LaunchFiles;
  gsm: boolean;
  /** Who tries it, for the audit. */
  actor: string;
  /** Makes ready whatever sends it; when it throws, nothing is launched. */
  ready: () => Promise<void>;
  signal: AbortSignal;
}

/** Launches a test at once. It asks nothing, because its cost is that of a few messages to the person's own phones. */
export async function launchTest(
  env: LaunchEnv,
  { files, gsm, actor, ready, signal }: TestLaunch,
): Promise<Campaign> {
  const preview = await previewLaunch(env, {
    files,
    gsm,
    newLedger: 'accept',
    rejectsPlace: () => ({ path: `${files.contacts.path}.rejects`, ifTaken: 'replace' }),
    again: true,
    partial: false,
    cancelMissing: 'refuse',
    maxCostMicro: null,
    startAt: null,
    at: false,
    warnings: [],
    signal,
  });
  if (preview.preview !== 'draft') return preview.campaign;
  const { draft } = preview;
  try {
    await ready();
  } catch (error) {
    await discardLaunch(env, draft, error);
    throw error;
  }
  return (await confirmLaunch(env, draft, { accepted: draft.questions, actor })).campaign;
}

/** The job without everything that would hold its message back or make it one of many. */
function testJob(job: Job, { at, mobile }: { at: string; mobile: string }): Job {
  return {
    ...job,
    name: `${job.name} test ${at}`,
    isTest: true,
    columns: { ...job.columns, mobile },
    headerLine: 1,
    otherMobiles: [],
    key: [],
    start: null,
    remind: null,
    every: null,
    window: null,
    canary: null,
    budgetMicro: null,
    guard: { ...job.guard, sameTextMs: null, most: null },
  };
}

interface TestRow {
  header: string[];
  mobileColumn: number;
  line: number;
  cells: string[];
  /** All cells as a workbook shows them; left out: as they are. */
  shown?: string[] | undefined;
  text: string;
}

/** The layout of the test's own contacts: each cell of a workbook, and then each as it is shown. */
function layoutOf({ header, shown }: TestRow, { workbook }: LaunchFiles['contacts']): SheetFacts | null {
  if (workbook === null || shown === undefined) return null;
  return { ...workbook, width: header.length, shown: [...header.keys()] };
}

/** Reads the whole list, because the longest text may stand in its last row. */
async function findRow(
  { line, gsm, countries, currency }: Pick<TestRequest, 'line' | 'gsm' | 'countries' | 'currency'>,
  { loaded, contacts: source }: Pick<LaunchFiles, 'loaded' | 'contacts'>,
): Promise<TestRow> {
  const { columns } = loaded.job;
  await using contacts = await openJobContacts(loaded, { contacts: source, countries });
  const { header, mobileColumn } = contacts;
  const template = compileTemplate({
    ...loaded.template,
    header,
    columns,
    gsmSafe: gsm || loaded.job.gsmSafe,
    words: wordsFor({ ...loaded.job, currency }),
  });
  const found = new LongestRow(template, rowFields(loaded.job, contacts, template.uses));
  for await (const rows of contacts.rows())
    for (const row of rows) if (line === null || row.line === line) found.look(row);
  if (found.best !== null) return { header, mobileColumn, ...found.best };
  throw nothingFound(found.problem, { line, contactsPath: source.path });
}

/** The row with the longest text of those it has looked at. */
class LongestRow {
  readonly #template: Template;
  readonly #fieldsOf: RowFields;
  best: Pick<TestRow, 'line' | 'cells' | 'shown' | 'text'> | null = null;
  /** Why the first row that cannot be sent cannot be; null: each can. */
  problem: string | null = null;

  constructor(template: Template, fieldsOf: RowFields) {
    this.#template = template;
    this.#fieldsOf = fieldsOf;
  }

  look(row: ContactRow): void {
    const { line, cells, shown, problem } = row;
    const rendered =
      problem === null ? this.#template.render(this.#fieldsOf(row)) : { ok: false as const, ...problem };
    if (!rendered.ok) this.problem ??= `line ${line}: ${reasonText(rendered.reason)}`;
    else if (this.best === null || rendered.text.length > this.best.text.length)
      this.best = { line, cells, shown, text: rendered.text };
  }
}

function nothingFound(
  problem: string | null,
  { line, contactsPath }: { line: number | null; contactsPath: string },
): TumaError {
  const noRow = `The contacts have no row${line === null ? '' : ` in line ${line}`}.`;
  return new TumaError(line === null || problem !== null ? 'no_usable_row' : 'not_found', {
    message: problem === null ? noRow : `No message can be made of ${problem}.`,
    advice: { action: 'see_rows' },
    where: line === null ? contactsPath : `${contactsPath}:${line}`,
  });
}
