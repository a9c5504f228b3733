import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { Rejects } from '../../contacts/rejects.ts';
import type { RejectsPlace } from '../../contacts/rejects-place.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { PlanTally } from '../../domain/plan-tally.ts';
import { reasonText } from '../../domain/row-reason.ts';
import type { ReminderTally, UploadTally } from '../../domain/reminder-tally.ts';
import { seriesTemplates, type SeriesTemplates } from '../../domain/text/series-templates.ts';
import { wordsFor } from '../../domain/text/template-words.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { NewReminder } from '../../ledger/contracts/schedules.ts';
import type { Env } from '../env.ts';
import { openDraft } from '../launch/launch.ts';
import { jobColumn } from '../jobs/job-column.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import { contactsRead, type ContactsRead, openJobContacts, type PlannedContacts } from './job-contacts.ts';
import { canceledMessage, type PlanList } from './plan-list.ts';
import { planContacts, type PlanSink } from './plan.ts';
import {
  canceledBy,
  type OpenUpload,
  refuseOtherKey,
  type ReminderPlan,
  reminderPlan,
} from './plan-reminders.ts';
import { rowFields } from './row-fields.ts';
import type { IdentityRules } from './row-identity.ts';

/** The input of a plan: the job, its contacts, and the settings that decide about each row. */
export interface PlanRequest {
  loaded: LoadedJob;
  /** The contacts as a CSV. */
  contacts: PlannedContacts;
  hashes: CampaignHashes;
  /** The job's sender, or `TUMA_SENDER`. */
  sender: string;
  /** The place of rejected rows. */
  rejectsPlace: RejectsPlace;
  gsmSafe: boolean;
  /** The countries that may be sent to (ISO 3166); the first is that of numbers without a country. */
  countries: readonly string[];
  zone: string;
  currency: string;
  optOutText: string;
  /** The ledger that knows the opt-outs; null: there is none. The draft goes into the ledger of `env`. */
  optOuts: Pick<Ledger, 'suppressed'> | null;
  /** The ledger that knows the networks of numbers; null: no price depends on them. */
  networks?: Pick<Ledger, 'networksOf'> | null;
  /** The ledger whose guards would skip messages, and when they are sent; left out: nobody asks. */
  guards?: { ledger: Pick<Ledger, 'guardedBefore'>; at: number } | null;
  /** The open reminder campaign that these contacts correct; left out: a campaign of its own. */
  upload?: OpenUpload | null;
  /** The ledger of reminders that earlier campaigns sent; null: a reminder may be sent again. */
  earlier?: Pick<Ledger, 'remindedBefore' | 'latestNamed'> | null;
  /** The line whose text a person asked for; null or left out: none. */
  askedLine?: number | null;
  /** Takes each planned message; left out: nobody lists them. */
  list?: PlanList | null;
  /** Aborted: planning stops with `interrupted` and leaves no draft. */
  signal?: AbortSignal;
}

/** A plan: its draft is in the ledger, to be activated or discarded. */
export interface PlannedJob {
  draft: Campaign;
  contacts: ContactsRead;
  tally: PlanTally;
  /** Null: every row can be sent to. */
  rejects: { path: string; rows: number } | null;
  /** Null: no reminders. */
  reminders: PlannedReminders | null;
}

/** The part of a plan about reminders. */
export interface PlannedReminders {
  tally: ReminderTally;
  /** The reminders of each row: more than one in a series. */
  each: number;
  /** The changes of a corrected upload, and its campaign. */
  upload: { campaign: Campaign; changes: UploadTally } | null;
}

const NEVER = new AbortController().signal;

/** The sender: the job's, else the setting's. Throws `job_invalid` when neither names one. */
export function senderOf(loaded: LoadedJob, setting: string | null): string {
  const sender = loaded.job.sender ?? setting;
  if (sender !== null) return sender;
  throw new TumaError('job_invalid', {
    message: 'No sender: neither the job file nor TUMA_SENDER names one.',
    hint: 'Add `sender: YOURNAME` to the job file (the sender ID or shortcode of your account).',
    where: loaded.file,
  });
}

/**
 * Plans a job: reads every contact into a draft. It sends no message and activates no campaign. An error
 * leaves no draft and no rejects file. Throws `contacts_invalid`, `template_invalid`, `job_invalid`,
 * `file_unwritable`, and `usage` for an existing rejects file.
 */
export async function planJob(
  env: Pick<Env, 'ledger' | 'clock' | 'random'>,
  request: PlanRequest,
): Promise<PlannedJob> {
  const { loaded, rejectsPlace } = request;
  const gsmSafe = gsmSafeOf(request);
  await using contacts = await openJobContacts(loaded, request);
  const template = templateOf(request, { header: contacts.header, gsmSafe });
  const columns = columnsOf(loaded, contacts);
  const { upload = null, earlier = null } = request;
  const key = columns.keyColumns.map((column) => contacts.header[column] ?? '');
  if (upload === null && earlier !== null) await refuseOtherKey(loaded, { key, ledger: earlier });
  await using rejects = new Rejects({ place: rejectsPlace, contacts });
  const draft = await openDraft(env, { ...request, gsmSafe, header: contacts.header, key });
  try {
    const { settings } = draft;
    const reminders = reminderPlan(loaded, {
      contacts,
      settings,
      upload,
      earlier,
      now: env.clock.now(),
    });
    const { optOutText } = draft.settings;
    const sink = sinkOf(env, { request, draft, timed: reminders !== null });
    const { signal = NEVER, askedLine = null, list = null } = request;
    const { countries } = contacts;
    const input = {
      askedLine,
      contacts,
      template,
      fieldsOf: rowFields(loaded.job, contacts, template.uses),
      countries,
      ...columns,
      optOutText,
      reminders,
      sink,
      rejects,
      list,
      signal,
    };
    const tally = await planContacts(input);
    refuseChanged(contacts, request.hashes);
    return {
      draft,
      contacts: contactsRead(contacts, {
        others: columns.otherMobileColumns,
        tally,
        workbook: request.contacts.workbook ?? null,
      }),
      tally,
      rejects: await rejects.finish(),
      reminders: await plannedReminders(reminders, { upload, list }),
    };
  } catch (error) {
    await discardAfter(error, { ledger: env.ledger, draft });
    throw error;
  }
}

/** The columns that the job file names. Throws `job_invalid` for one that the contacts lack, or that is named twice. */
export function columnsOf(
  loaded: LoadedJob,
  contacts: ContactsFile,
): Pick<IdentityRules, 'otherMobileColumns' | 'keyColumns' | 'keyDates'> {
  const { key, otherMobiles, remind } = loaded.job;
  const otherMobileColumns = otherMobiles.map((written) =>
    jobColumn(loaded, contacts, { written, key: ['columns', 'mobile'] }),
  );
  const keyColumns = key.map((written) => jobColumn(loaded, contacts, { written, key: ['key'] }));
  refuseTwice(loaded, ['columns', 'mobile'], [contacts.mobileColumn, ...otherMobileColumns]);
  refuseTwice(loaded, ['key'], keyColumns);
  refusePhoneKey(loaded, { keyColumns, phones: [contacts.mobileColumn, ...otherMobileColumns] });
  return { otherMobileColumns, keyColumns, ...(remind === null ? {} : { keyDates: remind.format }) };
}

/** Two names may mean one column. */
function refuseTwice({ placeOf }: LoadedJob, key: string[], columns: number[]): void {
  if (new Set(columns).size === columns.length) return;
  throw new TumaError('job_invalid', {
    message: `\`${key.join('.')}\` names the same column twice.`,
    hint: 'Name each column once.',
    where: placeOf(...key),
  });
}

/** A key with a number would change with the phone, and so the same reminder would go to another one. */
function refusePhoneKey(
  { job, placeOf }: LoadedJob,
  { keyColumns, phones }: { keyColumns: number[]; phones: number[] },
): void {
  if (job.remind === null || phones.length === 1 || !keyColumns.some((column) => phones.includes(column)))
    return;
  throw new TumaError('job_invalid', {
    message: '`key` names a column of phone numbers, and `columns.mobile` has several.',
    hint: 'Name a column that stays when a phone changes: an id, a child, an invoice.',
    where: placeOf('key'),
  });
}

/** The draft as the target of the rows, and the questions that a plan asks the ledger. */
function sinkOf(
  { ledger, clock }: Pick<Env, 'ledger' | 'clock'>,
  { request, draft, timed }: { request: PlanRequest; draft: Campaign; timed: boolean },
): PlanSink {
  const { n, sender } = draft;
  const honoured = request.loaded.job.kind === 'transactional' ? null : request.optOuts;
  // The ledger checks opt-outs while it adds the rows, because two calls cost more.
  const together = !timed && honoured === ledger && request.loaded.job.otherMobiles.length === 0;
  const { networks = null } = request;
  return {
    add: (rows) =>
      timed
        ? ledger.stageReminders(n, rows as NewReminder[])
        : ledger.addMessages(n, rows, { now: clock.now(), ...(together ? { sender } : {}) }),
    suppressed: honoured === null || together ? null : (mobiles) => honoured.suppressed({ mobiles, sender }),
    networks: networks === null ? null : (mobiles) => networks.networksOf(mobiles),
    guarded: guardedOf(request, { draft, timed }),
  };
}

/** Reminders leave on their own days, so nothing is known of what they meet then. */
function guardedOf(
  { guards = null, hashes }: PlanRequest,
  { draft, timed }: { draft: Campaign; timed: boolean },
): PlanSink['guarded'] {
  const rule = draft.settings.guard;
  if (guards === null || timed || rule === undefined || (rule.sameTextMs ?? rule.most) === null) return null;
  return (messages) => guards.ledger.guardedBefore({ hashes, rule, at: guards.at, messages });
}

function templateOf(
  { loaded, currency }: PlanRequest,
  { header, gsmSafe }: { header: string[]; gsmSafe: boolean },
): SeriesTemplates {
  const { template, job, file, placeOf } = loaded;
  const options = {
    ...template,
    header,
    columns: job.columns,
    gsmSafe,
    words: wordsFor({ ...job, currency }),
  };
  const { texts, series = [] } = job.remind ?? {};
  if (texts === undefined) return seriesTemplates(options, undefined);
  return seriesTemplates({ ...options, file }, texts, (offset) => {
    const index = series.indexOf(offset);
    const [line = 1, column = 1] = placeOf('remind', 'offsets', String(index))
      .split(':')
      .slice(-2)
      .map(Number);
    return () => ({ line, column });
  });
}

/** Corrected contacts get the texts of their campaign; the flags do not change them. */
function gsmSafeOf({ upload, gsmSafe, loaded }: PlanRequest): boolean {
  return upload?.campaign.settings.gsmSafe ?? (gsmSafe || loaded.job.gsmSafe);
}

async function plannedReminders(
  reminders: ReminderPlan | null,
  { upload, list }: { upload: OpenUpload | null; list: PlanList | null },
): Promise<PlannedReminders | null> {
  if (reminders === null) return null;
  const { tally, series } = reminders;
  const each = series?.length ?? 1;
  if (upload === null) return { tally, each, upload: null };
  const open = await upload.ledger.openReminders(upload.campaign.n);
  for await (const message of canceledBy(upload, tally)) {
    const { line, mobile, key, notBefore: dueAt } = message;
    const more = tally.addCanceled({ line, mobile, key, dueAt, wasAt: null });
    await list?.([canceledMessage(message, upload.campaign)]);
    if (!more && list === null) break;
  }
  return { tally, each, upload: { campaign: upload.campaign, changes: tally.upload(open) } };
}

/** Discards a draft because of `reason`. A full disk may prevent that; a person still sees `reason`. */
export async function discardAfter(
  reason: unknown,
  { ledger, draft }: { ledger: Pick<Ledger, 'discardDraft'>; draft: Campaign },
): Promise<void> {
  await ledger.discardDraft(draft.n).catch((second: unknown) => {
    // Nobody sees a draft that stays, and a later launch removes it.
    if (!(second instanceof TumaError))
      throw new AggregateError([reason, second], 'a draft was not discarded');
  });
}

/** The most reasons that one error names. */
const MOST_REASONS = 5;

/** Throws `no_usable_row`, with the reasons, for a plan without a row to send to. */
export function requireUsableRow(plan: PlannedJob, contactsPath: string): void {
  const { planned, unchanged } = plan.tally;
  const { past = { count: 0 }, remindedBefore = 0 } = plan.reminders?.tally ?? {};
  if (planned > past.count + remindedBefore || unchanged > 0) return;
  if (planned === 0) throw new TumaError('no_usable_row', { ...nobody(plan), where: contactsPath });
  throw new TumaError('no_usable_row', {
    message: `The moments of all ${planned} reminders are past, or an earlier campaign sent them.`,
    hint: 'Check the dates, and `offset` and `at` of `remind`.',
    advice: { action: 'remind_anew', otherName: false },
    where: contactsPath,
  });
}

function nobody({ tally, rejects }: PlannedJob): { message: string; hint?: string } {
  const reasons = tally.reasons();
  const shown = reasons.slice(0, MOST_REASONS).map(({ reason, count, lines }) => {
    const more = count > lines.length ? ', …' : '';
    return `${count} ${reasonText(reason)} (line ${lines.join(', ')}${more})`;
  });
  const more = reasons.length > shown.length ? ` and ${reasons.length - shown.length} more reasons` : '';
  const message =
    tally.read === 0
      ? 'The contacts hold a header and no row.'
      : `No row of the contacts can be sent to: ${shown.join('; ')}${more}.`;
  return {
    message,
    ...(rejects === null ? {} : { hint: `${rejects.path} holds each row with its reason.` }),
  };
}

/** Refuses contacts that changed between their hash and the reading of their rows. */
function refuseChanged(contacts: ContactsFile, hashes: CampaignHashes): void {
  if (contacts.sha256 === hashes.contacts) return;
  throw new TumaError('contacts_invalid', {
    message: 'The contacts changed while they were read.',
    hint: 'Wait until nobody writes the file, and try again.',
    where: contacts.path,
  });
}
