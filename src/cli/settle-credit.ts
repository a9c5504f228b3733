import { type CreditShortfall, compareCredit } from '../campaign/compare-credit.ts';
import { refuseBehind } from '../campaign/refuse-behind.ts';
import { TumaError } from '../domain/errors.ts';
import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import { clock, grouped } from '../reports/report-words.ts';
import { confirmYes } from './confirm.ts';
import type { Context } from './context.ts';
import { workersAlive } from './workers-alive.ts';

const MOST_NAMED = 10;

/**
 * Before anything is sent: asks when the credit is lower than the ledger explains. Whoever sends now was asked when it
 * began. `othersSpend`: the answer was given already. Once a person has said that others spend from the account it is only told. Throws `ledger_behind` or
 * `credit_unexplained`.
 */
export async function settleCredit(
  context: Context,
  { othersSpend } = { othersSpend: false },
): Promise<void> {
  const ledger = await context.ledger();
  await refuseBehind({ ...context, ledger });
  if ((await workersAlive(context)) > 0) return;
  const found = await compareCredit({ ...context, ledger });
  if (found === null || found === 'unknown') return;
  const { output, config } = context;
  const words = shortfall(found, config);
  if (found.sharedSince !== null)
    return output.note(
      `${words} Others spend from this account, as was said at ${clock(new Date(found.sharedSince).toISOString(), config.zone)}.`,
    );
  if (!othersSpend) await ask(context, { found, words });
  const { account, missingMicro } = found;
  await ledger.acceptCredit({ now: context.clock.now(), by: 'operator', account, missingMicro });
}

async function ask(
  { output, signal }: Context,
  { found, words }: { found: CreditShortfall; words: string },
): Promise<void> {
  const waiting = found.waiting.slice(0, MOST_NAMED).map(({ id, name }) => `  ${id} (${name})`);
  const refusal = new TumaError('credit_unexplained', {
    message: [
      `${words} Either others spend from this account, or this ledger is older than what was sent from it, and would send again what waits here. Nothing is sent.`,
      ...waiting,
    ].join('\n'),
    hint: 'If others spent it: `tuma serve --accept-credit`, once. If an older ledger was put back: put the latest one back, or `tuma cancel` what may have gone out already.',
  });
  if (!output.interactive) throw refusal;
  output.note([words, ...waiting].join('\n'));
  const question = 'Did others spend it? (If an older ledger was put back: no.)';
  if (!(await confirmYes({ output, signal, yes: false, question, hint: '--accept-credit' }))) throw refusal;
}

function shortfall(found: CreditShortfall, { currency, zone }: Context['config']): string {
  const money = (amount: MoneyMicro) => `${currency} ${grouped(formatMoney(amount))}`;
  const { at, creditMicro, floorMicro, nowMicro, missingMicro } = found;
  return `The credit is ${money(missingMicro)} lower than this ledger explains: ${money(creditMicro)} at ${clock(new Date(at).toISOString(), zone)}, of which at most ${money(creditMicro - floorMicro)} went since; now it is ${money(nowMicro)}.`;
}
