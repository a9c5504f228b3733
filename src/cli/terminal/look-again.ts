import { isTransientError } from '../../campaign/sending/failures.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';

const AGAIN_MS = 2_000;

/** Looks at the ledger. While its database is out of reach that is said once, and the look is tried again until the signal. */
export async function lookAgain<Found>(
  { clock, output, signal }: Pick<Context, 'clock' | 'output' | 'signal'>,
  look: () => Promise<Found>,
): Promise<Found> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof TumaError) || !isTransientError(error) || signal.aborted) throw error;
      if (tries === 0) output.note(`${error.message} It is looked at again.`);
    }
    await clock.sleep(AGAIN_MS, signal);
  }
}
