import { balanceError } from '../campaign/balance-error.ts';
import { type CreditShortfall, type UnreadCredit, compareCredit } from '../campaign/compare-credit.ts';
import { refuseBehind } from '../campaign/refuse-behind.ts';
import { configuredPrices } from '../config-values.ts';
import { TumaError } from '../domain/errors.ts';
import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { BalanceResult, Provider } from '../provider/provider.ts';
import { grouped } from '../reports/report-words.ts';
import { confirmYes } from './confirm.ts';
import type { Context } from './context.ts';
import { timeIn } from './shown-time.ts';
import { workersAlive } from './workers-alive.ts';

const MOST_NAMED = 10;
/** A terminal at which nobody answers for so long counts as none. */
const ANSWER_MS = 60_000;

/** How a lower credit is met. */
export interface Settling {
  /** A person has said already that others spent it. */
  accepted?: boolean;
  /** How long a person at the terminal has to answer, in milliseconds; null: nobody is asked. A minute by default. */
  answerMs?: number | null;
  /** How long the service has to tell the credit, in milliseconds; by default as long as its requests have. */
  creditMs?: number;
}

/** A worker is not started: what was found, and the error that says so. */
export interface Refused {
  /** Null: the credit cannot be read, so that nobody knows yet. */
  found: CreditShortfall | null;
  refusal: TumaError;
}

/**
 * Before anything is sent: a credit that is lower than the ledger explains is asked about (D9). Null: it is explained, or a person
 * has accepted it. One that cannot be read is not explained: a worker that began would read it later, and that reading would hide
 * what is missing. Whoever sends now was asked when it began, so beside a worker that is alive nothing is compared. Throws `ledger_behind`.
 */
export async function settleCredit(context: Context, settling: Settling = {}): Promise<Refused | null> {
  const { accepted = false, answerMs = ANSWER_MS, creditMs } = settling;
  const ledger = await context.ledger();
  await refuseBehind({ ...context, ledger });
  if ((await workersAlive(context)) > 0) return null;
  const found = await compare(context, creditMs);
  if (found === null) return null;
  if ('unread' in found) return accepted ? null : { found: null, refusal: balanceError(found.unread) };
  const refusal = refusalOf(context, found);
  if (!accepted && !(await agreed(context, { found, answerMs }))) return { found, refusal };
  const { account, startedAt, nowMicro: creditMicro } = found;
  await ledger.acceptCredit({ account, startedAt, creditMicro, now: context.clock.now(), by: 'operator' });
  return null;
}

/** `settleCredit` for a command that ends when it is refused. Throws `ledger_behind`, `credit_unexplained`, or that it cannot be read. */
export async function requireExplained(context: Context): Promise<void> {
  const refused = await settleCredit(context);
  if (refused !== null) throw refused.refusal;
}

/** Whether what was refused would be refused again: nobody accepted the credit, and a message still waits. */
export async function stillRefused(context: Context, { found }: Refused): Promise<boolean> {
  if (found === null) return false;
  const reader = await context.reader();
  if ((await reader.latestReading(found.account)) !== found.latest) return false;
  return (await reader.doubtful(context.clock.now())).some(({ account }) => account === found.account);
}

async function compare(
  context: Context,
  creditMs = 2 * context.config.deadlineMs,
): Promise<CreditShortfall | UnreadCredit | null> {
  const { clock: time, log, config } = context;
  const found = await compareCredit({
    clock: time,
    reader: await context.reader(),
    provider: () => promptProvider(context, creditMs),
    prices: configuredPrices(config.price),
  });
  if (found !== 'unknown') return found;
  log.info({}, 'the credit fell and no price is known, so it is not compared with what the ledger explains');
  return null;
}

/** The provider, which holds up no start for longer than that, and no stop at all. */
async function promptProvider(context: Context, creditMs: number): Promise<Pick<Provider, 'balance'>> {
  const provider = await context.provider();
  const done = new AbortController();
  const late = async (): Promise<BalanceResult> => {
    await context.clock.sleep(creditMs, AbortSignal.any([context.signal, done.signal]));
    return { outcome: 'unknown', words: 'no answer in time', httpStatus: null, code: null, raw: null };
  };
  return { balance: () => Promise.race([provider.balance(), late()]).finally(() => done.abort()) };
}

interface Question {
  found: CreditShortfall;
  answerMs: number | null;
}

async function agreed({ output, signal, config }: Context, { found, answerMs }: Question): Promise<boolean> {
  if (!output.interactive || answerMs === null) return false;
  output.note([shortfall(found, config), ...namesOf(found)].join('\n'));
  const question = 'Did others spend it? (If an older ledger was put back: no.)';
  const patience = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  return confirmYes({ output, signal: patience, yes: false, question, hint: 'tuma balance --accept' });
}

function refusalOf({ config }: Context, found: CreditShortfall): TumaError {
  return new TumaError('credit_unexplained', {
    message: [
      `${shortfall(found, config)} Either others spend from this account, or this ledger is older than what was sent from it, and would send again what waits here. Nothing is sent.`,
      ...namesOf(found),
    ].join('\n'),
    hint: 'If others spent it: `tuma balance --accept`, once. If an older ledger was put back: put the latest one back, or `tuma cancel` what may have gone out already.',
  });
}

function namesOf({ waiting }: CreditShortfall): string[] {
  const more = waiting.length - MOST_NAMED;
  return [
    ...waiting.slice(0, MOST_NAMED).map(({ id, name }) => `  ${id} (${name})`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function shortfall(found: CreditShortfall, { currency, zone }: Context['config']): string {
  const money = (amount: MoneyMicro) => `${currency} ${grouped(formatMoney(amount))}`;
  const { at, creditMicro, leastMicro, nowMicro } = found;
  const when = timeIn(zone, at);
  return `The credit is ${money(leastMicro - nowMicro)} lower than this ledger explains: ${money(creditMicro)} at ${when}, of which at most ${money(creditMicro - leastMicro)} can have gone since; now it is ${money(nowMicro)}.`;
}
