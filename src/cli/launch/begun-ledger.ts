import { ledgerThere } from '../../config/rescued-ledger.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Context } from '../context.ts';

/** The ledger, for a command that may begin one. A new one is announced: the folder may be wrong. */
export async function ledgerMaybeNew(context: Context): Promise<Ledger> {
  const { config, output } = context;
  const isNew = !ledgerThere(config);
  const ledger = await context.ledger();
  if (isNew)
    output.note(
      `A new ledger was begun at ${config.ledgerFile}. Is yours elsewhere? Then it knows nothing of this: run the same in its folder, or set TUMA_HOME.`,
    );
  return ledger;
}

/** The ledger, for a command that has nothing to do in a new one. Throws `not_found` where there is none. */
export async function ledgerOfOld(context: Pick<Context, 'config' | 'ledger' | 'reader'>): Promise<Ledger> {
  if (!ledgerThere(context.config)) await context.reader();
  return context.ledger();
}
