import type { Log } from '../campaign/env.ts';
import type { WorkApart } from '../campaign/tasks/task.ts';
import type { Config } from '../config/config.ts';
import { type Asked, askedFrom } from '../ledger/contracts/asked-from.ts';
import { type LedgerSettings, ledgerSettings } from './open-ledger.ts';
import { runApart } from './process-apart.ts';

/** The settings that long work needs. */
type TaskSettings = Pick<Config, 'sharedFolder' | 'zone' | 'reportWaitMs'>;

/** The input of `task-process.ts`. It holds no secret, and no number: the ledger says what is asked. */
export interface TaskProcessOrder extends TaskSettings {
  place: LedgerSettings;
  id: string;
  /** The token of the process that began it. */
  process: string;
  /** From where and by which right it was asked for; null: at this machine. */
  asked: Asked | null;
}

/** Does long work in a process of its own, which keeps what came of it in the ledger. */
export function workingApart(config: TaskSettings & LedgerSettings, log: Log): WorkApart {
  const { sharedFolder, zone, reportWaitMs } = config;
  const settings = { place: ledgerSettings(config), sharedFolder, zone, reportWaitMs };
  return ({ id, process }) => {
    const asked = askedFrom.getStore() ?? null;
    const order: TaskProcessOrder = { ...settings, id, process, asked };
    return runApart({ program: 'task-process', order, log });
  };
}
