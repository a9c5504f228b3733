import { randomBytes } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, TumaError } from '../../domain/errors.ts';
import { requireReason } from '../../domain/reason.ts';
import type { PreparationKey, PreparationRow } from '../../ledger/contracts/preparations.ts';
import { type JobKeys, keyProblems } from '../jobs/job-text.ts';
import { type Earlier, earlierJob, jobFiles } from './earlier-job.ts';
import { approversOf } from './approvers.ts';
import { judgeRows } from './judge-rows.ts';
import { type LookedAt, lookAtContacts, previewMessage } from './look-at-contacts.ts';
import type { AcceptedPlan } from './plan-order.ts';
import { PlanningRuns } from './planning-runs.ts';
import {
  foldersBefore,
  type IncomingContacts,
  keepContacts,
  preparationFolder,
  removeFolder,
  removeOthers,
} from './preparation-folder.ts';
import {
  contactsOf,
  jobOf,
  lookedAt,
  preparationChanged,
  refuseClosed,
  nobodyApproves,
  requireApproverOf,
} from './preparation-row.ts';
import type { PrepareEnv } from './prepare-env.ts';
import type {
  ContactsLook,
  KeptContacts,
  Preparation,
  PreparationActor,
  PreparationPart,
  PreparationPlan,
  PreviewMessage,
  PreviewOf,
  RowsJudged,
} from './preparation.ts';
import { RecentLooks } from './recent-looks.ts';
import { testPreparation, type TestOrder, type TestSent } from './test-preparation.ts';

/** A preparation that nobody changes for so long ends. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;

/** How a preparation begins. */
export interface Beginning {
  job?: Partial<JobKeys>;
  from?: Earlier;
  request?: PreparationKey | null;
}

/** A change of a preparation: the revision that the person saw, and who changes it. */
export interface ChangeOf {
  revision: number;
  actor: PreparationActor;
}

/** Thrown where the key of a request came before with another request. */
export class KeyUsed extends Error {}

/** Preparations of one shared folder: made, changed, planned, launched. A method throws `not_found` where its id is unknown. */
export class Preparations {
  readonly #env: PrepareEnv;
  readonly #runs: PlanningRuns;
  readonly #looks = new RecentLooks();

  constructor(env: PrepareEnv) {
    this.#env = env;
    this.#runs = new PlanningRuns(env);
  }

  /** The ledger of this process closes. Processes that plan or launch end by themselves, and keep what they did. */
  async close(): Promise<void> {
    this.#runs.close();
  }

  /**
   * Begins one: empty, with keys, or with those of an earlier campaign (its id) or of a job file of the folder. The same
   * `request` begins none again. Throws `KeyUsed` for the same key with another digest.
   */
  async create(actor: PreparationActor, options: Beginning = {}): Promise<Preparation> {
    const { ledger, clock } = this.#env;
    const { from, request = null } = options;
    const before = from === undefined ? { job: {}, editors: [] } : await earlierJob(this.#env, from);
    const job = JSON.stringify({ ...before.job, ...options.job });
    // Who wrote the text of an earlier one cannot approve it in a copy.
    const identities = [...new Set([...actor.identities, ...before.editors])];
    const made = { id: newId(), by: actor.name, identities, job, request, now: clock.now() };
    const row = await ledger.createPreparation(made);
    if (row === null) throw new KeyUsed();
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

  /** The job files that one can begin from. */
  jobFiles(): ReturnType<typeof jobFiles> {
    return jobFiles(this.#env);
  }

  /** Open ones and those that wait for approval, the newest change first. */
  async list(): Promise<Preparation[]> {
    return (await (await this.#env.reader()).preparations()).map((row) => this.#view(row));
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
    missing: PreparationPart[];
  } {
    const problems = keyProblems(job);
    const rereads = (job.every as { contacts?: string } | undefined)?.contacts === 'reread';
    if (rereads)
      problems.push({ path: ['every', 'contacts'], message: 'reread is only for job files of this machine' });
    return { problems, missing: missingParts({ job, contacts, settings: this.#env.settings }) };
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
    // An open file outlives its name.
    const stream = (await open(join(from, file))).createReadStream();
    const kept = await keepContacts(to, { name, stream, length: null }, this.#env.clock.now());
    return this.#withContacts(row, { revision, actor, kept });
  }

  /** The first rows of the contacts. */
  async look(id: string): Promise<ContactsLook> {
    const looked = lookedAt(this.#env, await this.#require(id));
    return this.#looks.find(['rows', ...askedOf(looked)], () => lookAtContacts(looked));
  }

  /** Which rows can get a message, before there is a text; null: the list is too long for an answer at once. */
  async judge(id: string): Promise<RowsJudged | null> {
    const looked = lookedAt(this.#env, await this.#require(id));
    return this.#looks.find(['judged', ...askedOf(looked)], () => judgeRows(looked));
  }

  /** One message as it would leave; `unsaved`: keys that the person is typing. Null: there is no such row. */
  async preview(id: string, of: PreviewOf, unsaved: Partial<JobKeys> = {}): Promise<PreviewMessage | null> {
    const kept = lookedAt(this.#env, await this.#require(id));
    const looked = { ...kept, job: { ...kept.job, ...unsaved } };
    const look = () => previewMessage(looked, of);
    // Only the longest one is found by a look at all rows.
    return of === 'longest' ? this.#looks.find([of, ...askedOf(looked)], look) : look();
  }

  /** Begins to plan this revision in a process of its own, unless it is planned; `anew`: also then. Returns at once. */
  async plan(
    id: string,
    { revision, actor, anew = false }: ChangeOf & { anew?: boolean },
  ): Promise<Preparation> {
    const row = await this.#requireOpen(id, revision);
    const isPlanned = row.plan !== null && row.process === null;
    if (!isPlanned || anew) await this.#runs.begin(row, { actor, launch: null });
    return this.find(id);
  }

  /** True: its plan knows no cost, and a price has become known since, for example by a test. */
  async isPricedSince({ plan }: Preparation): Promise<boolean> {
    if (plan?.planning !== 'done' || plan.document.cost.basis !== 'unknown') return false;
    // Of another account a price is none for this plan, which would then be made anew for ever.
    if (plan.account === undefined) return false;
    return (await this.#env.ledger.knownPrices(plan.account)).length > 0;
  }

  /** Resolves when no plan or launch is running for it, here or in another process. */
  async planned(id: string): Promise<Preparation> {
    return this.#view(await this.#runs.end(await this.#require(id)));
  }

  /** The rejected rows of the plan, as a file to download; null: there are none. */
  async rejects(id: string): Promise<{ file: string; name: string } | null> {
    const { plan, contacts, job } = await this.find(id);
    if (plan?.planning !== 'done' || plan.document.rejects === null || contacts === null) return null;
    const file = join(this.#folder(id), `rejects.${contacts.format}`);
    const there = await stat(file).catch(() => null);
    return there === null ? null : { file, name: `${job.name ?? 'contacts'}-rejects.${contacts.format}` };
  }

  /** One real message to the person's own phones: a campaign of its own. */
  async test(id: string, test: TestOrder): Promise<TestSent> {
    const row = await this.#require(id);
    if (test.revision !== null && row.revision !== test.revision) throw preparationChanged(row);
    return testPreparation(this.#env, lookedAt(this.#env, row), test);
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
    refuseClosed(row, revision);
    if (row.refused !== null)
      throw new TumaError('approval_needed', {
        message: `Approval was refused: ${row.refused}`,
        hint: 'Change the draft, and ask again.',
      });
    if (row.process !== null && !this.#runs.isGone(row))
      throw new TumaError('state_forbids', {
        message: 'It is being planned or launched now.',
        hint: 'Wait a moment.',
      });
    if (await this.approvalNeeded()) requireApproverOf(row, actor);
    await this.#runs.begin(row, { actor, launch });
    return this.find(id);
  }

  /**
   * As `beginLaunch`, and waits until its process ends, or is taken for gone (planning-runs.ts). Throws why it was not
   * launched; `preparation_changed`: the plan is another one now.
   */
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

  /** Asks for approval of the plan of this revision. Throws `approval_needed` where nobody could say yes. */
  async ask(id: string, change: ChangeOf): Promise<Preparation> {
    const row = await this.#requireOpen(id, change.revision);
    // What was asked never ends by itself, so it would wait for ever.
    if ((await this.approvalNeeded()) && (await this.approvers(row)).length === 0) throw nobodyApproves(row);
    return this.#done(id, await this.#env.ledger.askApproval(this.#changeOf(id, change)));
  }

  /** Says no, with a reason. The preparation is open again. Throws `usage`: it is no reason. */
  async refuse(id: string, { reason, ...change }: ChangeOf & { reason: string }): Promise<Preparation> {
    if (!change.actor.mayApprove)
      throw new TumaError('approval_needed', { message: 'Only an approver can refuse it.' });
    const refusal = { ...this.#changeOf(id, change), reason: requireReason(reason) };
    return this.#done(id, await this.#env.ledger.refuseApproval(refusal));
  }

  /** The names of the users who may say yes to it; empty: nobody may. */
  async approvers(preparation: Pick<Preparation, 'editors'>): Promise<string[]> {
    const users = await (await this.#env.reader()).users();
    return approversOf(users, preparation, this.#env.clock.now());
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
    const { clock, sharedFolder } = this.#env;
    const reader = await this.#env.reader();
    const before = clock.now() - KEPT_MS;
    await this.#end({ changedBefore: before, by: 'schedule' });
    for (const id of await foldersBefore(sharedFolder, before)) {
      const row = await reader.preparation(id);
      if (row === null || row.state === 'launched' || row.state === 'discarded')
        await removeFolder(this.#folder(id));
    }
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
    refuseClosed(row, null);
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
    refuseClosed(row, revision);
    return row;
  }

  #folder(id: string): string {
    return preparationFolder(this.#env.sharedFolder, id);
  }

  #view(row: PreparationRow): Preparation {
    const { id, revision, state, owner, editors, asked, refused, campaign, createdAt, changedAt } = row;
    const [job, contacts] = [jobOf(row), contactsOf(row)];
    return {
      id,
      revision,
      state,
      owner,
      editors,
      job,
      contacts,
      missing: missingParts({ job, contacts, settings: this.#env.settings }),
      plan: this.#runs.planOf(row),
      asked,
      refused,
      campaign,
      createdAt,
      changedAt,
      endsAt: changedAt + KEPT_MS,
    };
  }
}

/** The parts that a plan needs and that are not there. The setting can name the sender of all. */
function missingParts({
  job,
  contacts,
  settings,
}: Pick<Preparation, 'job' | 'contacts'> & Pick<PrepareEnv, 'settings'>): PreparationPart[] {
  const there = { ...job, sender: job.sender ?? settings.sender ?? '', contacts: contacts?.file ?? '' };
  return (['name', 'kind', 'contacts', 'message', 'sender'] as const).filter(
    (part) => (there[part] ?? '') === '',
  );
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

/** What an answer about contacts follows from. */
function askedOf({ contacts, job }: LookedAt): readonly unknown[] {
  return [contacts.sha256, job];
}

function newId(): string {
  return randomBytes(8).toString('hex');
}
