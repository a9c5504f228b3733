import { join } from 'node:path';
import type { Log } from '../campaign/env.ts';
import type { PlanApart, PlanOrder } from '../campaign/prepare/plan-order.ts';
import { type Asked, askedFrom } from '../ledger/contracts/asked-from.ts';
import { type LedgerSettings, ledgerSettings } from './open-ledger.ts';
import { runApart } from './process-apart.ts';

/** The input of `plan-process.ts`. It holds no secret. */
export interface PlanProcessOrder {
  place: LedgerSettings;
  /** The folder of temporary folders, inside the home. */
  temporary: string;
  order: PlanOrder;
  /** From where and by which right it was asked for; null: at this machine. */
  asked: Asked | null;
}

/** Plans and launches of preparations. Rejects when it fails; then nothing was kept, and what it launched says the ledger. */
export function planningApart(config: LedgerSettings, log: Log): PlanApart {
  return (order, progress) => {
    const asked = askedFrom.getStore() ?? null;
    const given: PlanProcessOrder = {
      place: ledgerSettings(config),
      temporary: join(config.home, 'tmp'),
      order,
      asked,
    };
    return runApart({ program: 'plan-process', order: given, log, heard: (line) => progress(Number(line)) });
  };
}
