import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { StateChange } from '../../ledger/contracts/records.ts';

/** Decides a reply that may ask to stop. Throws `state_forbids` where it waits for no decision any more. */
export async function decideReply(
  ledger: Pick<Ledger, 'decideReply'>,
  decision: StateChange & { reply: number; stop: boolean },
): Promise<void> {
  if (await ledger.decideReply(decision)) return;
  throw new TumaError('state_forbids', { message: 'This reply waits for no decision any more.' });
}
