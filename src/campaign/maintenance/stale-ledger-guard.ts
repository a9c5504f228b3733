import { TumaError } from '../../domain/errors.ts';
import { type Behind, behindHelp, behindWords } from '../../ledger/contracts/stale-ledger.ts';
import type { Env } from '../env.ts';

/**
 * Refuses to send from a ledger that is older than its messages (D9): its queued messages may have reached
 * people. Throws `ledger_behind`.
 */
export async function refuseBehind({ ledger, clock }: Pick<Env, 'ledger' | 'clock'>): Promise<void> {
  const behind = await ledger.behind(clock.now());
  if (behind !== null) throw olderLedger(behind);
}

/** The error of a ledger that is behind, with the concerned campaigns. */
export function olderLedger(behind: Behind): TumaError {
  const { open, another } = behind;
  const unknown = open.map(
    ({ id, name, queued }) => `  ${id} (${name}): ${queued} queued, some of them may have been sent`,
  );
  return new TumaError('ledger_behind', {
    message: [
      behindWords(behind),
      ...unknown,
      ...(open.length === 0 && another === null
        ? ['  No campaign is open in it. Campaigns that were launched after the copy was made are missing.']
        : []),
    ].join('\n'),
    ...behindHelp(behind),
  });
}
