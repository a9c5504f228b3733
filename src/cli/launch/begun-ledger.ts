import { ledgerThere } from '../../config/ledger-there.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { Context } from '../context.ts';

/** The ledger of a command that may begin one. It announces a new ledger, because the folder may be wrong. */
export async function ledgerMaybeNew(context: Context): Promise<Ledger> {
  const { config, output } = context;
  const isNew = !ledgerThere(config);
  const ledger = await context.ledger();
  if (isNew)
    output.note(
      `A new ledger was begun at ${config.ledgerPlace}. Is yours elsewhere? Then it knows nothing of this: run the same in its folder, or set TUMA_HOME.`,
    );
  return ledger;
}

/** The ledger of a command that needs an existing one. Throws `not_found` without one. */
export async function ledgerOfOld(context: Pick<Context, 'config' | 'ledger' | 'reader'>): Promise<Ledger> {
  if (!ledgerThere(context.config)) await context.reader();
  return context.ledger();
}
