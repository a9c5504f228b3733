import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { type ErrorCode, TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { PreparationRow, RequestKey } from '../../ledger/preparations.ts';
import { type JobKeys, jobText, keyProblems, keysOf } from '../jobs/job-text.ts';
import { loadJob, loadJobText } from '../jobs/load-job.ts';
import { openAccount } from '../launch/launch.ts';
import { workersAlive } from '../operator/living-workers.ts';
import { launchTest, testFiles } from '../launch/test-launch.ts';
import { judgeRows } from './judge-rows.ts';
import { lookAtContacts, type LookedAt, previewMessage } from './look-at-contacts.ts';
import { type AcceptedPlan, failedPlan, JOB_NAME } from './plan-order.ts';
import {
  foldersBefore,
  type IncomingContacts,
  keepContacts,
  preparationFolder,
  removeFolder,
  removeOthers,
} from './preparation-folder.ts';
import type { PrepareEnv } from './prepare-env.ts';
import type {
  ContactsLook,
  KeptContacts,
  Preparation,
  PreparationActor,
  PreparationPlan,
  PreviewMessage,
  PreviewOf,
  RowsJudged,
} from './preparation.ts';

/** A preparation that nobody changes for so long ends. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;
/** So often a plan of another process is looked at. */
const LOOK_MS = 250;
/** A plan takes minutes at most; its process is taken for gone after this, and can then keep nothing. */
const PLANNING_MS = 30 * 60_000;

/** How a preparation begins. */
export interface Beginning {
  job?: Partial<JobKeys>;
  from?: { campaign: string } | { file: string };
  request?: RequestKey | null;
}

/** A change of a preparation: the revision that the person saw, and who changes it. */
export interface ChangeOf {
  revision: number;
  actor: PreparationActor;
}

/** Preparations of one home: made, changed, planned, launched. Every method throws `not_found` for an unknown id. */
export class Preparations {
  readonly #env: PrepareEnv;
  /** The rows that plans of this process have read. */
  readonly #progress = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();

  #isClosed = false;

  constructor(env: PrepareEnv) {
    this.#env = env;
  }

  /** The ledger of this process closes. Processes that plan or launch end by themselves, and keep what they did. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /**
   * Begins one: empty, with keys, or with those of an earlier campaign (its id) or of a job file of the folder. The same
   * `request` begins none again; throws `preparation_changed` for the same key with another digest.
   */
  async create(actor: PreparationActor, options: Beginning = {}): Promise<Preparation> {
    const { ledger, clock } = this.#env;
    const { from, request = null } = options;
    const before = from === undefined ? { job: {}, editors: [] } : await this.#earlier(from);
    const job = JSON.stringify({ ...before.job, ...options.job });
    // Who wrote the text of an earlier one cannot approve it in a copy.
    const identities = [...new Set([...actor.identities, ...before.editors])];
    const made = { id: newId(), by: actor.name, identities, job, request, now: clock.now() };
    const row = await ledger.createPreparation(made);
    if (row === null)
      throw new TumaError('preparation_changed', { message: 'This key came before with another request.' });
    return this.#view(row);
  }

  /** The preparation that a request made; null: none. */
  async ofRequest(key: string): Promise<Preparation | null> {
    const row = await (await this.#env.reader()).preparationOfKey(key);
    return row === null ? null : this.#view(row);
  }

  /** One preparation. */
  async find(id: string): Promise<Preparation> {
    return this.#view(await this.#require(id));
  }

  /** Open ones and those that wait for approval, the newest change first. */
  async list(): Promise<Preparation[]> {
    return (await (await this.#env.reader()).preparations()).map((row) => this.#view(row));
  }

  /** The job files that one can begin from. */
  async jobFiles(): Promise<{ file: string; name: string }[]> {
    const { jobs } = this.#env;
    if (jobs === null) return [];
    const files = (await readdir(jobs).catch(() => [])).filter((file) => /\.ya?ml$/.test(file));
    const loaded = await Promise.all(
      files.toSorted().map((file) =>
        loadJob(join(jobs, file)).then(
          ({ job }) => ({ file, name: job.name }),
          () => null,
        ),
      ),
    );
    return loaded.filter((each) => each !== null);
  }

  /**
   * Merges keys into the job; null removes one. The plan goes, and a question for approval is withdrawn. Throws
   * `preparation_changed` for another revision, and `state_forbids` for one that is launched or ended.
   */
  async change(
    id: string,
    { revision, actor, job }: ChangeOf & { job: { [Key in keyof JobKeys]?: JobKeys[Key] | null } },
  ): Promise<Preparation> {
    const row = await this.#require(id);
    const merged = Object.entries({ ...jobOf(row), ...job }).filter(([, value]) => value != null);
    return this.#change(row, { revision, actor, job: JSON.stringify(Object.fromEntries(merged)) });
  }

  /** The problems of its keys, and the parts that a launch still needs. */
  check({ job, contacts }: Pick<Preparation, 'job' | 'contacts'>): {
    problems: ReturnType<typeof keyProblems>;
    missing: string[];
  } {
    const needed = (['name', 'kind', 'message'] as const).filter((key) => (job[key] ?? '') === '');
    const problems = keyProblems(job);
    const rereads = (job.every as { contacts?: string } | undefined)?.contacts === 'reread';
    if (rereads)
      problems.push({ path: ['every', 'contacts'], message: 'reread is only for job files of this machine' });
    return { problems, missing: [...needed, ...(contacts === null ? ['contacts'] : [])] };
  }

  /** Keeps contacts from a stream. A file that is refused or cut changes nothing. */
  async keepContacts(
    id: string,
    { revision, actor, ...incoming }: ChangeOf & IncomingContacts,
  ): Promise<Preparation> {
    // It may break before it is read.
    incoming.stream.on('error', () => undefined);
    const row = await this.#require(id);
    const kept = await keepContacts(this.#folder(id), incoming, this.#env.clock.now());
    return this.#withContacts(row, { revision, actor, kept });
  }

  /** Keeps contacts that belong to no preparation yet, for `useContacts`. */
  async uploadContacts(incoming: IncomingContacts): Promise<{ id: string; contacts: KeptContacts }> {
    const id = newId();
    return { id, contacts: await keepContacts(this.#folder(id), incoming, this.#env.clock.now()) };
  }

  /** Takes a copy of contacts that were uploaded before. Throws `not_found` when they are gone. */
  async useContacts(
    id: string,
    { revision, actor, upload, name }: ChangeOf & { upload: string; name: string },
  ): Promise<Preparation> {
    const row = await this.#require(id);
    const [from, to] = [this.#folder(upload), this.#folder(id)];
    const file = (await readdir(from).catch(() => [])).find((each) => each.startsWith('contacts-'));
    if (file === undefined)
      throw new TumaError('not_found', {
        message: 'These contacts are not kept any more.',
        hint: 'Upload them again; they are kept for seven days.',
        where: upload,
      });
    await mkdir(to, { recursive: true, mode: 0o700 });
    const copy = join(to, `copy-${newId()}`);
    try {
      await copyFile(join(from, file), copy);
      const stream = createReadStream(copy);
      const kept = await keepContacts(to, { name, stream, length: null }, this.#env.clock.now());
      return await this.#withContacts(row, { revision, actor, kept });
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** The first rows of the contacts. */
  async look(id: string): Promise<ContactsLook> {
    return lookAtContacts(this.#looked(await this.#require(id)));
  }

  /** Which rows can get a message, before there is a text; null: the list is too long for an answer at once. */
  async judge(id: string): Promise<RowsJudged | null> {
    return judgeRows(this.#looked(await this.#require(id)));
  }

  /** One message as it would leave; `unsaved`: keys that the person is typing. Null: there is no such row. */
  async preview(id: string, of: PreviewOf, unsaved: Partial<JobKeys> = {}): Promise<PreviewMessage | null> {
    const looked = this.#looked(await this.#require(id));
    return previewMessage({ ...looked, job: { ...looked.job, ...unsaved } }, of);
  }

  /** Begins to plan this revision in a process of its own, unless it is planned; `anew`: also then. Returns at once. */
  async plan(
    id: string,
    { revision, actor, anew = false }: ChangeOf & { anew?: boolean },
  ): Promise<Preparation> {
    const row = await this.#requireOpen(id, revision);
    const isPlanned = row.plan !== null && row.process === null;
    if (!isPlanned || anew) await this.#begin(row, { actor, launch: null });
    return this.find(id);
  }

  /** Resolves when no plan or launch is running for it, here or in another process. */
  async planned(id: string): Promise<Preparation> {
    await this.#running.get(id);
    let row = await this.#require(id);
    while (row.process !== null && !this.#isGone(row) && !this.#isClosed) {
      await this.#env.clock.sleep(LOOK_MS);
      row = await this.#require(id);
    }
    return this.#view(row);
  }

  /** The rejected rows of the plan, as a file to download; null: there are none. */
  async rejects(id: string): Promise<{ file: string; name: string } | null> {
    const { plan, contacts, job } = await this.find(id);
    if (plan?.planning !== 'done' || plan.document.rejects === null || contacts === null) return null;
    const file = join(this.#folder(id), `rejects.${contacts.format}`);
    const there = await stat(file).catch(() => null);
    return there === null ? null : { file, name: `${job.name ?? 'contacts'}-rejects.${contacts.format}` };
  }

  /** One real message of a row (null: the longest) to the person's own phones: a campaign of its own. */
  async test(
    id: string,
    { to, line, actor }: { to: readonly string[]; line: number | null; actor: PreparationActor },
  ): Promise<{ campaign: string; line: number; text: string; segments: number }> {
    const { settings, copies, clock } = this.#env;
    const looked = this.#looked(await this.#require(id));
    const { folder, contacts } = looked;
    const source = jobText(looked.job, `./${contacts.file}`);
    const job = await loadJobText({ file: join(folder, JOB_NAME), source });
    const { currency, countries, optOutText } = settings;
    const place = { folder: copies, input: process.stdin };
    const at = new Date(clock.now()).toISOString().slice(0, 19);
    const asked = { job, contacts: join(folder, contacts.file), line, to, gsm: false, currency, countries };
    await using test = await testFiles({ ...asked, ...place, optOutText, at });
    const isWorkerAlive = async () => (await workersAlive(this.#env)) > 0;
    const env = { ...this.#env, provider: await this.#env.provider(), isWorkerAlive };
    const { files } = test;
    const signal = new AbortController().signal;
    const ready = async () => undefined;
    const { id: campaign } = await launchTest(env, { files, gsm: false, actor: actor.name, ready, signal });
    return { campaign, line: test.line, text: test.text, segments: test.segments };
  }

  /**
   * Begins to launch this revision in a process of its own: it is planned anew, and launched if that is the plan that
   * the person saw. Returns at once; launched before: with that campaign.
   */
  async beginLaunch(
    id: string,
    { revision, actor, ...launch }: ChangeOf & AcceptedPlan,
  ): Promise<Preparation> {
    const row = await this.#require(id);
    if (row.state === 'launched') return this.#view(row);
    this.#refuseClosed(row, revision);
    if (row.refused !== null)
      throw new TumaError('approval_needed', {
        message: `Approval was refused: ${row.refused}`,
        hint: 'Change the draft, and ask again.',
      });
    if (row.process !== null && !this.#isGone(row))
      throw new TumaError('state_forbids', {
        message: 'It is being planned or launched now.',
        hint: 'Wait a moment.',
      });
    if (await this.approvalNeeded()) requireApprover(row, actor);
    await this.#begin(row, { actor, launch });
    return this.find(id);
  }

  /** As `beginLaunch`, and waits. Throws why it was not launched; `preparation_changed`: the plan is another one now. */
  async launch(
    id: string,
    launch: ChangeOf & AcceptedPlan,
  ): Promise<{ preparation: Preparation; campaign: string }> {
    await this.beginLaunch(id, launch);
    const preparation = await this.planned(id);
    const { campaign, plan } = preparation;
    if (campaign !== null) return { preparation, campaign };
    if (plan?.planning === 'failed') throw errorOf(plan);
    throw new TumaError('preparation_changed', {
      message: 'The plan is another one than you saw. Nothing was launched.',
      hint: 'Look at it again.',
      where: id,
    });
  }

  /** Asks for approval of the plan of this revision. */
  async ask(id: string, change: ChangeOf): Promise<Preparation> {
    await this.#requireOpen(id, change.revision);
    return this.#done(id, await this.#env.ledger.askApproval(this.#changeOf(id, change)));
  }

  /** Says no, with a reason. The preparation is open again. */
  async refuse(id: string, { reason, ...change }: ChangeOf & { reason: string }): Promise<Preparation> {
    if (!change.actor.mayApprove)
      throw new TumaError('approval_needed', { message: 'Only an approver can refuse it.' });
    return this.#done(id, await this.#env.ledger.refuseApproval({ ...this.#changeOf(id, change), reason }));
  }

  /** True: a second person must approve each launch. */
  approvalNeeded(): Promise<boolean> {
    return this.#env.ledger.approvalNeeded();
  }

  /** Ends it: its rows and its files go. */
  async discard(id: string, { revision, actor }: ChangeOf): Promise<void> {
    await this.#requireOpen(id, revision);
    await this.#end({ id, revision, by: actor.name });
  }

  /**
   * Ends those that nobody has changed for seven days, but none that waits for approval. Removes the files of those that
   * are launched or ended.
   */
  async endOld(): Promise<void> {
    const { clock, home } = this.#env;
    const reader = await this.#env.reader();
    const before = clock.now() - KEPT_MS;
    await this.#end({ changedBefore: before, by: 'schedule' });
    for (const id of await foldersBefore(home, before)) {
      const row = await reader.preparation(id);
      if (row === null || row.state === 'launched' || row.state === 'discarded')
        await removeFolder(this.#folder(id));
    }
  }

  /** Notes the process, and lets it work. Nothing begins where another process plans or launches it. */
  async #begin(
    row: PreparationRow,
    how: { actor: PreparationActor; launch: AcceptedPlan | null },
  ): Promise<void> {
    const { ledger, clock, processes } = this.#env;
    const { id, revision } = row;
    if (row.process !== null && !this.#isGone(row)) return;
    const process = JSON.stringify({ identity: processes.self(), attempt: newId() });
    const now = clock.now();
    const what = how.launch === null ? 'plan' : 'launch';
    const plan: PreparationPlan = { planning: 'running', what, rows: 0, since: now };
    const change = { id, revision, by: how.actor.name, now, process, plan: JSON.stringify(plan) };
    if (!(await ledger.beginPlanning({ ...change, dead: row.process }))) return;
    const work = this.#run(row, { process, ...how })
      // Nobody may be waiting for it. After a while it is taken for gone.
      .catch((error: unknown) =>
        this.#env.log.error({ error: maskText(String(error)), id }, 'a plan was not kept'),
      )
      .finally(() => {
        // Another revision may be planned by now.
        if (this.#running.get(id) === work) this.#running.delete(id);
      });
    this.#running.set(id, work);
  }

  /** Never rejects: nobody waits for it but whoever asks for the plan. */
  async #run(
    row: PreparationRow,
    how: { process: string; actor: PreparationActor; launch: AcceptedPlan | null },
  ): Promise<void> {
    const { planApart, reader, settings, log } = this.#env;
    const { id, revision } = row;
    try {
      const { folder, contacts, job } = this.#looked(row);
      const account = await openAccount({ ...this.#env, provider: await this.#env.provider() });
      const order = { id, revision, folder, contacts, account, settings, ...how };
      await planApart({ ...order, job: jobText(job, './contacts') }, (rows) => this.#progress.set(id, rows));
    } catch (error) {
      await this.#recordFailure(row, { ...how, error });
    }
    this.#progress.delete(id);
    // The process keeps what it did by itself, also when this one has closed its ledger.
    if (this.#isClosed) return;
    try {
      if ((await (await reader()).preparation(id))?.state === 'launched')
        await removeFolder(this.#folder(id));
    } catch (error) {
      log.warn({ error: String(error), id }, 'the files of a launched draft are still there');
    }
  }

  async #recordFailure(
    { id, revision }: PreparationRow,
    { process, actor, error }: { process: string; actor: PreparationActor; error: unknown },
  ): Promise<void> {
    const { ledger, clock, log } = this.#env;
    if (!(error instanceof TumaError)) log.error({ error: String(error), id }, 'a plan failed');
    if (this.#isClosed) return;
    const known = error instanceof TumaError ? error : new TumaError('internal', { message: STOPPED });
    const plan = JSON.stringify(failedPlan(known, this.#folder(id)));
    const change = { id, revision, process, by: actor.name, now: clock.now(), plan };
    await ledger.recordPlan(change).catch((problem: unknown) => {
      log.error({ error: String(problem), id }, 'a failed plan could not be kept');
    });
  }

  /** A process that is proven dead, or has planned for too long, keeps nothing any more. */
  #isGone({ process, plan }: PreparationRow): boolean {
    if (process === null || plan === null) return true;
    const { identity } = JSON.parse(process) as { identity: Parameters<PrepareEnv['processes']['fate']>[0] };
    const { since } = JSON.parse(plan) as { since: number };
    return this.#env.processes.fate(identity) === 'dead' || this.#env.clock.now() - since > PLANNING_MS;
  }

  async #earlier(
    from: { campaign: string } | { file: string },
  ): Promise<{ job: Partial<JobKeys>; editors: string[] }> {
    if ('file' in from) return { job: await this.#keysOfFile(from.file), editors: [] };
    const prepared = await (await this.#env.reader()).preparationOf(from.campaign);
    if (prepared !== null) return { job: jobOf(prepared), editors: prepared.editors };
    const reader = await this.#env.reader();
    const [campaign] = (await reader.find(from.campaign)).filter(({ id }) => id === from.campaign);
    if (campaign === undefined)
      throw new TumaError('not_found', { message: 'There is no such campaign.', where: from.campaign });
    const { name, kind, sender, template: message, settings } = campaign;
    const language = settings.language === undefined ? {} : { language: settings.language };
    return { job: { name, kind, sender, message, ...language }, editors: [] };
  }

  async #keysOfFile(file: string): Promise<Partial<JobKeys>> {
    const { jobs } = this.#env;
    const inside = normalize(file);
    if (jobs === null || isAbsolute(inside) || inside.startsWith('..'))
      throw new TumaError('not_found', { message: 'There is no such job file.' });
    const { template } = await loadJob(join(jobs, inside));
    return { ...keysOf(await readFile(join(jobs, inside), 'utf8')), message: template.source };
  }

  async #withContacts(
    row: PreparationRow,
    { revision, actor, kept }: ChangeOf & { kept: KeptContacts },
  ): Promise<Preparation> {
    try {
      const changed = await this.#change(row, { revision, actor, contacts: JSON.stringify(kept) });
      await removeOthers(this.#folder(row.id), [kept.file]);
      return changed;
    } catch (error) {
      await this.#dropUnused(row.id, kept);
      throw error;
    }
  }

  /** Removes contacts that came too late for their draft, because nobody else would. */
  async #dropUnused(id: string, { file }: KeptContacts): Promise<void> {
    const row = await (await this.#env.reader()).preparation(id);
    if (row === null || row.state === 'launched' || row.state === 'discarded')
      await removeFolder(this.#folder(id));
    else if (contactsOf(row)?.file !== file) await rm(join(this.#folder(id), file), { force: true });
  }

  async #change(
    { id }: PreparationRow,
    { revision, actor, ...change }: ChangeOf & { job?: string; contacts?: string },
  ): Promise<Preparation> {
    const { identities } = actor;
    const given = { ...this.#changeOf(id, { revision, actor }), identities, ...change };
    return this.#done(id, await this.#env.ledger.changePreparation(given));
  }

  async #done(id: string, changed: PreparationRow | null): Promise<Preparation> {
    if (changed !== null) return this.#view(changed);
    const row = await this.#require(id);
    this.#refuseClosed(row, null);
    throw preparationChanged(row);
  }

  async #end(
    end: ({ id: string; revision: number } | { changedBefore: number }) & { by: string },
  ): Promise<void> {
    const { ledger, clock } = this.#env;
    for (const id of await ledger.endPreparations({ ...end, now: clock.now() }))
      await removeFolder(this.#folder(id));
  }

  #changeOf(id: string, { revision, actor }: ChangeOf) {
    return { id, revision, by: actor.name, now: this.#env.clock.now() };
  }

  async #require(id: string): Promise<PreparationRow> {
    this.#folder(id);
    const row = await (await this.#env.reader()).preparation(id);
    if (row === null) throw new TumaError('not_found', { message: 'There is no such draft.', where: id });
    return row;
  }

  async #requireOpen(id: string, revision: number): Promise<PreparationRow> {
    const row = await this.#require(id);
    this.#refuseClosed(row, revision);
    return row;
  }

  #refuseClosed(row: PreparationRow, revision: number | null): void {
    if (row.state === 'launched' || row.state === 'discarded') throw closed(row);
    if (revision !== null && row.revision !== revision) throw preparationChanged(row);
  }

  #folder(id: string): string {
    return preparationFolder(this.#env.home, id);
  }

  #looked(row: PreparationRow): LookedAt {
    const contacts = contactsOf(row);
    if (contacts === null)
      throw new TumaError('contacts_invalid', {
        message: 'There are no contacts yet.',
        hint: 'Choose a CSV or an Excel file.',
      });
    return { env: this.#env, folder: this.#folder(row.id), contacts, job: jobOf(row) };
  }

  #view(row: PreparationRow): Preparation {
    const { id, revision, state, owner, editors, asked, refused, campaign, createdAt, changedAt } = row;
    const plan = row.plan === null ? null : (JSON.parse(row.plan) as PreparationPlan);
    if (plan?.planning === 'running') plan.rows = this.#progress.get(id) ?? plan.rows;
    // Its process died, for example with the power, so a person makes it again.
    const shownPlan = plan?.planning === 'running' && this.#isGone(row) ? STOPPED_PLAN : plan;
    return {
      id,
      revision,
      state,
      owner,
      editors,
      job: jobOf(row),
      contacts: contactsOf(row),
      plan: shownPlan,
      asked,
      refused,
      campaign,
      createdAt,
      changedAt,
      endsAt: changedAt + KEPT_MS,
    };
  }
}

const STOPPED = 'The plan stopped before its end.';
const STOPPED_PLAN: PreparationPlan = {
  planning: 'failed',
  code: 'internal',
  message: STOPPED,
  hint: 'Make it again.',
  advice: null,
  where: null,
};

/** Says early what the commit of the launch would refuse. */
function requireApprover(
  { state, editors }: PreparationRow,
  { identities, mayApprove }: PreparationActor,
): void {
  const isOwn = editors.some((editor) => identities.includes(editor));
  if (state === 'asked' && mayApprove && !isOwn) return;
  throw new TumaError('approval_needed', {
    message: isOwn
      ? 'Who prepared a campaign cannot approve it.'
      : 'An approver must say yes to this campaign.',
    hint: state === 'asked' ? 'Another approver must launch it.' : 'Ask for approval.',
  });
}

/** The error that a failed plan holds. */
export function errorOf({
  code,
  message,
  hint,
  advice,
  where,
}: Extract<PreparationPlan, { planning: 'failed' }>): TumaError {
  return new TumaError(code as ErrorCode, { message, hint, advice, where });
}

function newId(): string {
  return randomBytes(8).toString('hex');
}

function jobOf({ job }: PreparationRow): Partial<JobKeys> {
  return JSON.parse(job) as Partial<JobKeys>;
}

function contactsOf({ contacts }: PreparationRow): KeptContacts | null {
  return contacts === null ? null : (JSON.parse(contacts) as KeptContacts);
}

function closed({ id, state }: PreparationRow): TumaError {
  const words = {
    launched: 'is launched',
    discarded: 'was discarded',
    asked: 'waits for approval',
    open: 'is open',
  };
  return new TumaError('state_forbids', { message: `This draft ${words[state]} already.`, where: id });
}

function preparationChanged({ id, editors }: PreparationRow): TumaError {
  return new TumaError('preparation_changed', {
    message: `Somebody changed this draft meanwhile (${editors.join(', ')}). Nothing was done.`,
    hint: 'Look at it again.',
    where: id,
  });
}
