import { join } from 'node:path';
import type { Log } from '../campaign/env.ts';
import type { FireAnew, FiringAnew } from '../campaign/launch/fire-anew.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import { type LedgerSettings, ledgerSettings } from './open-ledger.ts';
import { runApart } from './process-apart.ts';

/* The plan of a firing in a short process of its own: a million rows neither hold up webhooks nor stay in the memory. */

/** The input of `fire-process.ts`. It holds no secret. */
export interface FiringOrder {
  place: LedgerSettings;
  /** The folder of temporary folders, inside the home. */
  temporary: string;
  firing: FiringAnew;
}

/** As `FiredAnew`, with the number of the campaign. */
export type FiringAnswer = { look: string } | { campaign: number | null };

/**
 * Fires in another process, whose log goes into this one's. Rejects when that process fails; the ledger then holds no
 * firing, and it is tried again.
 */
export function firingApart(
  config: LedgerSettings,
  { ledger, log }: { ledger: Pick<Ledger, 'campaign'>; log: Log },
): FireAnew {
  return async (_schedule, firing, signal) => {
    const order: FiringOrder = { place: ledgerSettings(config), temporary: join(config.home, 'tmp'), firing };
    let answer = '';
    const heard = (line: string) => (answer = line);
    await runApart({ program: 'fire-process', order, log, heard, signal });
    const fired = JSON.parse(answer) as FiringAnswer;
    if ('look' in fired) return fired;
    return { campaign: fired.campaign === null ? null : await ledger.campaign(fired.campaign) };
  };
}
