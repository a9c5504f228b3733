import { decisionParts } from '../../../reports/open-answers.ts';
import { styleText } from 'node:util';
import { startOfJob } from '../../../campaign/planning/plan-start.ts';
import { loadJob } from '../../../campaign/jobs/load-job.ts';
import { contactsOf, hashesOf } from '../../../campaign/planning/job-contacts.ts';
import { planJob, requireUsableRow, senderOf } from '../../../campaign/planning/plan-job.ts';
import type { Config } from '../../../config/config.ts';
import { assumptionLine, assumptionsOf } from '../../doctor/assumptions.ts';
import { ledgerThere } from '../../../config/ledger-there.ts';
import { counted, type MoneyMicro } from '../../../domain/money.ts';
import { lineArgument } from '../../arguments/parse-argument.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { openUpload } from '../../../campaign/planning/upload.ts';
import { DEFAULT_REJECTS, FORCE_BOTH, formatFlag, outFlag, rejectsFlag } from '../../files/out-target.ts';
import { type PlanOut, planOut } from '../../files/plan-out.ts';
import { type PlanDocument, planDocument } from '../../../campaign/planning/plan-document.ts';
import { readCreditAhead } from '../../../campaign/planning/credit-ahead.ts';
import { planFacts, profileWarnings } from '../../../campaign/planning/plan-facts.ts';
import type { PlanWarning } from '../../../campaign/planning/plan-warning.ts';
import { planJson } from '../../text/plan-json.ts';
import { planText } from '../../text/plan-text.ts';
import { contactsPlace } from '../../launch/ask-launch.ts';
import { declareQuickJob, withJobFile } from '../../launch/quick-job.ts';
import { rateWarnings } from '../../doctor/workers-alive.ts';
import {
  correctionWarnings,
  launchedWarnings,
  sameContactsWarnings,
} from '../../../campaign/launch/previous-launches.ts';

/** `tuma plan`: everything that a launch would do, and nothing of it done. */
export const command: CommandModule = {
  declare(command) {
    command
      .argument('<JOB.yaml>', 'the job file, or contacts with --message')
      .option(
        '--contacts <file>',
        "another contacts file than the job's (CSV or .xlsx; - for standard input)",
      )
      .option('--gsm', 'replace characters that force UCS-2 by GSM-7 ones')
      .option(
        '--rejects <file>',
        `where rows that cannot be sent to are written (default: ${DEFAULT_REJECTS})`,
      )
      .option('--out <file>', 'write every planned message with its time and text (.csv or .xlsx)')
      .option(...FORCE_BOTH)
      .option('--line <n>', 'also show the text of the row of this line');
    declareQuickJob(command);
  },
  run: (context, call) => withJobFile(context, call, (file) => showPlan(context, call, file)),
};

async function showPlan(context: Context, call: Call, file: string): Promise<number> {
  const { facts, contactsPath, out } = await plan(context, call, file);
  const { config, output } = context;
  const document = planDocument(facts, output.showNumbers ? 'whole' : 'masked');
  const paint = (style: 'bold' | 'yellow', text: string) => (output.terminal ? styleText(style, text) : text);
  const text = () => planText(document, { zone: config.zone, now: context.clock.now(), paint });
  try {
    requireUsableRow(facts.planned, contactsPath);
  } catch (error) {
    // The reasons of all rows are what helps; with --json the error stands alone.
    if (facts.planned.tally.planned === 0 && !output.json) output.result(planJson(document), text);
    throw error;
  }
  output.result(planJson(document), text);
  if (out !== null) output.note(`${counted(out.rows(), 'message')} in ${out.file}`);
  if (lineArgument(call.flags['line']) !== null && isNoMessage(document))
    output.note('No message is made of that line: the reasons above, or the rejects file, say why.');
  if (isFirst(context.config)) noteAssumptions(context);
  return facts.refused ? EXIT.usage : EXIT.done;
}

/** True: the asked line is neither planned nor in the open campaign. */
function isNoMessage({ asked, asked_there: there }: PlanDocument): boolean {
  return asked === null && there.length === 0;
}

/** True: nothing was launched from this home, and the provider is not the sandbox of this machine. */
function isFirst(config: Config): boolean {
  if (config.messagingUrl === null || ledgerThere(config)) return false;
  return !['127.0.0.1', '[::1]', 'localhost'].includes(new URL(config.messagingUrl).hostname);
}

function noteAssumptions({ config, output }: Context): void {
  for (const assumption of assumptionsOf(config)) output.note(`assumed: ${assumptionLine(assumption)}`);
}

async function plan(context: Context, { flags }: Call, file: string) {
  const { config } = context;
  const loaded = await loadJob(file);
  await using contacts = await contactsOf(loaded, textOf(flags['contacts']), contactsPlace(context));
  const contactsPath = contacts.path;
  const reads = [loaded.file, loaded.template.file, contactsPath];
  const rejectsPlace = rejectsFlag(flags, { context, reads });
  const hashes = await hashesOf(loaded, contacts);
  const known = ledgerThere(config) ? await context.ledger() : null;
  const { creditMicro, account, warnings } = await lookAtAccount(context);
  const settings = await context.launchSettings();
  warnings.push(...profileWarnings(settings.notAccepted));
  if (known !== null)
    warnings.push(...(await rateWarnings(context, loaded.job.name)), ...(await undecided(context)));
  const env = {
    ...context,
    ledger: await context.scratchLedger(),
    random: Math.random,
    provider: NO_PROVIDER,
  };
  const startAt = startOfJob(loaded.job, { zone: config.zone, now: context.clock.now() });
  const reader = () => context.reader();
  const upload = known === null ? null : await openUpload({ ledger: known, reader }, loaded, hashes);
  const out = openOut(context, outFlag(flags, config, reads), { name: loaded.job.name, startAt });
  const planned = await listing(out, () =>
    planJob(env, {
      loaded,
      contacts,
      hashes,
      ...settings,
      sender: senderOf(loaded, settings.sender),
      rejectsPlace,
      gsmSafe: flags['gsm'] === true,
      optOuts: known,
      networks: settings.prices === null ? known : null,
      earlier: known,
      guards: known === null ? null : { ledger: known, at: startAt ?? context.clock.now() },
      upload,
      signal: context.signal,
      askedLine: lineArgument(flags['line']),
      list: out?.list ?? null,
    }),
  );
  const launching = { settings, clock: context.clock, reader };
  if (known !== null)
    warnings.push(
      ...(await launchedWarnings(launching, known, {
        name: loaded.job.name,
        hashes,
        files: { loaded, contacts: contactsPath },
      })),
    );
  warnings.push(...(await correctionWarnings(planned)));
  warnings.push(...(await sameContactsWarnings(launching, known, { draft: planned.draft, hashes })));
  const learned = (await known?.knownPrices(account)) ?? [];
  const ahead =
    known === null || account === null ? [] : (await readCreditAhead(await reader(), account)).planned;
  const facts = planFacts(launching, loaded, { planned, learned, creditMicro, ahead, startAt, warnings });
  return { facts, contactsPath, out };
}

/** The file of `--out`; a name without a known ending is a CSV. Null: the flag was not given. */
function openOut(
  { config, temporary }: Context,
  file: string | null,
  { name, startAt }: { name: string; startAt: number | null },
): PlanOut | null {
  if (file === null) return null;
  const format = formatFlag(undefined, { formats: ['csv', 'xlsx'] as const, file, otherwise: 'csv' });
  return planOut(file, { format, sheet: name, zone: config.zone, startAt, temporary });
}

/** Plans, and finishes the file of its messages; a plan that fails leaves none. */
async function listing<Planned>(out: PlanOut | null, planning: () => Promise<Planned>): Promise<Planned> {
  try {
    const planned = await planning();
    await out?.finish();
    return planned;
  } catch (error) {
    await out?.discard(error);
    throw error;
  }
}

/** Answers of the provider that somebody should decide before more messages meet them. */
async function undecided(context: Context): Promise<PlanWarning[]> {
  const open = await (await context.reader()).openAnswers(null);
  return decisionParts(open).map(({ http_status: status, words: said, ...part }) => ({
    code: 'answer_undecided',
    facts: { ...part, status, said },
  }));
}

/** Planning sends nothing, so it has nobody to send by. */
const NO_PROVIDER = {
  send: () => Promise.reject(new Error('a plan does not send')),
  balance: () => Promise.reject(new Error('a plan has looked already')),
  mapAnswers: () => undefined,
  close: () => Promise.resolve(),
};

/** The balance is worth knowing, but a plan is worth having without it. */
async function lookAtAccount(
  context: Context,
): Promise<{ creditMicro: MoneyMicro | null; account: string | null; warnings: PlanWarning[] }> {
  const { messagingUrl, apiKey, apiSecret } = context.config;
  if (messagingUrl === null || apiKey === null || apiSecret === null)
    return {
      creditMicro: null,
      account: null,
      warnings: [{ code: 'no_credentials', facts: {} }],
    };
  const answer = await (await context.provider()).balance();
  if (answer.outcome === 'balance')
    return { creditMicro: answer.creditMicro, account: answer.clientId, warnings: [] };
  const { words: said } = answer;
  return { creditMicro: null, account: null, warnings: [{ code: 'balance_unknown', facts: { said } }] };
}

function textOf(flag: string | boolean | undefined): string | null {
  return typeof flag === 'string' ? flag : null;
}
