import { styleText } from 'node:util';
import { confirmLaunch, discardLaunch, type Launched } from '../../campaign/launch/confirm-launch.ts';
import type { LaunchEnv } from '../../campaign/launch/launch-settings.ts';
import {
  type LaunchPreview,
  type LaunchQuestion,
  type LaunchRequest,
  newLedgerError,
  previewLaunch,
  readLaunchFiles,
} from '../../campaign/launch/preview-launch.ts';
import type { LoadedJob } from '../../campaign/jobs/load-job.ts';
import type { PlanRequest } from '../../campaign/planning/plan-job.ts';
import type { PlanWarning } from '../../campaign/planning/plan-warning.ts';
import { type ContactsPlace } from '../../campaign/planning/job-contacts.ts';
import { interrupted } from '../../campaign/planning/plan.ts';
import { TumaError } from '../../domain/errors.ts';
import { whole } from '../../domain/money.ts';
import { confirmCampaign, confirmYes } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import type { Output } from '../terminal/output.ts';
import { type ExampleTexts, type PlanDocument, planDocument } from '../../campaign/planning/plan-document.ts';
import { provenAlive } from '../doctor/own-roles.ts';
import { sayWaiting } from './wait-for-in-flight.ts';
import { shownTime } from '../text/shown-time.ts';
import { launchSummary, planText } from '../text/plan-text.ts';

/** A launch as a person at the command line asks for it. */
export interface AskedLaunch extends Omit<LaunchRequest, 'files' | 'startAt' | 'rejectsPlace' | 'warnings'> {
  /** The place of rejected rows of a launch that reads these files. */
  rejectsPlace: (reads: readonly string[]) => PlanRequest['rejectsPlace'];
  /** The warnings of this command about a campaign. */
  warnings: (campaign: string) => Promise<PlanWarning[]>;
  job: string;
  /** A contacts file in place of the job's. */
  contacts: string | null;
  /** When it starts, in milliseconds; null: at once. Throws for a start that does not fit the job. */
  startAt: (loaded: LoadedJob) => number | null;
  yes: boolean;
  /** Makes ready whatever the launch needs once it is activated; when it throws, nothing is activated. */
  prepare: () => Promise<void>;
}

type Draft = Extract<LaunchPreview, { preview: 'draft' }>;

/** Previews a launch, shows the plan, asks, and confirms. A stop before the commit leaves no campaign. */
export async function askLaunch(
  context: Context,
  asked: AskedLaunch,
): Promise<Launched | Extract<LaunchPreview, { preview: 'continued' | 'settled' }>> {
  const files = await readLaunchFiles(asked.job, asked.contacts, contactsPlace(context));
  await using _ = files.contacts;
  const startAt = asked.startAt(files.loaded);
  const env = await launchEnv(context);
  const { loaded, contacts } = files;
  const reads = [loaded.file, loaded.template.file, contacts.path];
  const rejectsPlace = () => asked.rejectsPlace(reads);
  const warnings = await asked.warnings(loaded.job.name);
  const preview = await previewLaunch(env, { ...asked, files, startAt, rejectsPlace, warnings });
  if (preview.preview !== 'draft') return preview;
  try {
    for (const question of preview.draft.questions)
      await ask(context, env, { question, preview, yes: asked.yes });
    await prepare(context, asked);
  } catch (error) {
    await discardLaunch(env, preview.draft, error);
    throw error;
  }
  return confirmLaunch(env, preview.draft, { accepted: preview.draft.questions, actor: context.actor });
}

/** The input of contacts, and the folder of their copies. */
export function contactsPlace({ temporary, stdin }: Pick<Context, 'temporary' | 'stdin'>): ContactsPlace {
  return { folder: temporary.path, input: stdin };
}

/** The parts that a launch of this process touches. */
export async function launchEnv(context: Context): Promise<LaunchEnv> {
  return {
    clock: context.clock,
    random: Math.random,
    provider: await context.provider(),
    ledger: await context.ledger(),
    reader: () => context.reader(),
    settings: await context.launchSettings(),
    isWorkerAlive: async () => (await provenAlive(context)) > 0,
    waits: (canceled) => sayWaiting(context, canceled),
  };
}

async function ask(
  context: Context,
  env: LaunchEnv,
  { question, preview, yes }: { question: LaunchQuestion; preview: Draft; yes: boolean },
): Promise<void> {
  switch (question) {
    case 'new_ledger':
      return askNewLedger(context, env);
    case 'loss':
      return askLoss(context, { preview, env, yes });
    case 'cancel_missing':
      // The flag has answered it before the plan.
      return undefined;
    case 'cost':
      return confirmCost(context, preview, yes);
    default:
      return question satisfies never;
  }
}

/** Says at each launch what the ledger lost, until a person has looked. `--yes` asks nobody, and answers nothing. */
async function askLoss(
  context: Context,
  { preview, env, yes }: { preview: Draft; env: LaunchEnv; yes: boolean },
): Promise<void> {
  const { output, signal, clock, actor } = context;
  const { loss } = preview.draft;
  if (loss === null) return;
  const { people, known, acceptedAt } = loss;
  output.note(
    `This ledger lost what was sent before ${shownTime(context, acceptedAt)} (--accept-loss). ${whole(known)} of the ${whole(people)} people of this launch were written to before; who of all of them got something in the lost time is not known. Look into the portal.`,
  );
  if (yes) return;
  const question = 'Is it sure that nobody gets anything twice?';
  const hint = 'Add --yes to launch without a terminal.';
  if (!(await confirmYes({ output, signal, yes, question, hint })))
    throw new TumaError('declined', { message: 'Nothing was launched.' });
  await env.ledger.answerLoss({ now: clock.now(), by: actor });
}

/** Asks whether a ledger that knows of nothing may begin. Throws `new_ledger` when it may not. */
export async function askNewLedger(context: Context, env: LaunchEnv): Promise<void> {
  const { output, signal, config } = context;
  const words = `Nothing sent before is known in ${config.ledgerPlace}. Begin a new ledger there?`;
  if (!(await confirmYes({ output, signal, yes: false, question: words, hint: '--new-ledger' })))
    throw newLedgerError(env);
}

async function confirmCost(context: Context, { plan }: Draft, yes: boolean): Promise<void> {
  const { output, signal, config } = context;
  const document: PlanDocument = planDocument(plan, textsFor(output));
  const paint = (style: 'bold' | 'yellow', text: string) =>
    output.liveProgress ? styleText(style, text, { stream: process.stderr }) : text;
  output.note(planText(document, { zone: config.zone, now: context.clock.now(), paint }));
  const summary = `\n${launchSummary(document)}`;
  await confirmCampaign({ output, signal, name: document.campaign.name, summary, yes });
}

/** A script's stderr is a log, and no message text belongs there. */
function textsFor({ interactive, showNumbers }: Output): ExampleTexts {
  if (!interactive) return 'none';
  return showNumbers ? 'whole' : 'masked';
}

/** The last step before the commit: a signal, a port in use or a Redis that is away stop the launch here. */
async function prepare({ signal }: Context, asked: AskedLaunch): Promise<void> {
  if (!signal.aborted) await asked.prepare().catch(nothingLaunched);
  if (signal.aborted) throw interrupted();
}

function nothingLaunched(error: unknown): never {
  if (!(error instanceof TumaError)) throw error;
  const { code, message, hint, advice, where } = error;
  throw new TumaError(code, {
    message: `${message}${message.endsWith('.') ? '' : '.'} Nothing was launched.`,
    hint,
    advice,
    where,
    cause: error,
  });
}
