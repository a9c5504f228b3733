import { type CreditShortfall, compareCredit } from '../campaign/compare-credit.ts';
import { refuseBehind } from '../campaign/refuse-behind.ts';
import { configuredPrices } from '../config-values.ts';
import { TumaError } from '../domain/errors.ts';
import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { BalanceResult, Provider } from '../provider/provider.ts';
import { clock, grouped } from '../reports/report-words.ts';
import { confirmYes } from './confirm.ts';
import type { Context } from './context.ts';
import { workersAlive } from './workers-alive.ts';

const MOST_NAMED = 10;
/** A terminal at which nobody answers for so long counts as none. */
const ANSWER_MS = 60_000;

/** The service has so long to tell the credit; then it counts as one that cannot be read. */
const CREDIT_MS = 10_000;

/** How a lower credit is met. */
export interface Settling {
  /** A person has said already that others spent it. */
  accepted?: boolean;
  /** How long a person at the terminal has to answer, in milliseconds; null: nobody is asked. A minute by default. */
  answerMs?: number | null;
}

/** A worker is not started: what was found, and the error that says so. */
export interface Refused {
  found: CreditShortfall;
  refusal: TumaError;
}

/**
 * Before anything is sent: a credit that is lower than the ledger explains is asked about (D9). Null: it is explained, or a person
 * has accepted it. Whoever sends now was asked when it began, so beside a worker that is alive nothing is compared. Throws
 * `ledger_behind`.
 */
export async function settleCredit(context: Context, settling: Settling = {}): Promise<Refused | null> {
  const { accepted = false, answerMs = ANSWER_MS } = settling;
  const ledger = await context.ledger();
  await refuseBehind({ ...context, ledger });
  if ((await workersAlive(context)) > 0) return null;
  const found = await compare(context);
  if (found === null) return null;
  const refusal = refusalOf(context, found);
  if (!accepted && !(await agreed(context, { found, refusal, answerMs }))) return { found, refusal };
  const { account, startedAt, nowMicro: creditMicro } = found;
  await ledger.acceptCredit({ account, startedAt, creditMicro, now: context.clock.now(), by: 'operator' });
  return null;
}

/** `settleCredit` for a command that ends when it is refused. Throws `ledger_behind` or `credit_unexplained`. */
export async function requireExplained(context: Context): Promise<void> {
  const refused = await settleCredit(context);
  if (refused !== null) throw refused.refusal;
}

/** Whether what was refused would be refused again: nobody accepted the credit, and a message still waits. */
export async function stillRefused(context: Context, { found }: Refused): Promise<boolean> {
  const reader = await context.reader();
  if ((await reader.latestReading(found.account)) !== found.reading) return false;
  return (await reader.doubtful(context.clock.now())).some(({ account }) => account === found.account);
}

async function compare(context: Context): Promise<CreditShortfall | null> {
  const { clock: time, log, config } = context;
  const found = await compareCredit({
    clock: time,
    reader: await context.reader(),
    provider: () => promptProvider(context),
    prices: configuredPrices(config.price),
  });
  if (found !== 'unknown') return found;
  log.info({}, 'the credit fell and no price is known, so it is not compared with what the ledger explains');
  return null;
}

/** The provider, which holds up no start for longer than CREDIT_MS, and no stop at all. */
async function promptProvider(context: Context): Promise<Pick<Provider, 'balance'>> {
  const provider = await context.provider();
  const done = new AbortController();
  const late = async (): Promise<BalanceResult> => {
    await context.clock.sleep(CREDIT_MS, AbortSignal.any([context.signal, done.signal]));
    return { outcome: 'unknown', words: 'no answer in time', httpStatus: null, code: null, raw: null };
  };
  return { balance: () => Promise.race([provider.balance(), late()]).finally(() => done.abort()) };
}

interface Question extends Refused {
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
  const when = clock(new Date(at).toISOString(), zone);
  return `The credit is ${money(leastMicro - nowMicro)} lower than this ledger explains: ${money(creditMicro)} at ${when}, of which at most ${money(creditMicro - leastMicro)} can have gone since; now it is ${money(nowMicro)}.`;
}
