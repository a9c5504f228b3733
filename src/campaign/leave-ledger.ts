import { TumaError } from '../domain/errors.ts';
import type { SendingWorker } from './sending-worker.ts';

/** Longer than any answer takes; a ledger that takes no verdict any more does not hold up the rescue for ever. */
const ANSWERS_MS = 40_000;

/**
 * The ledger's file was removed or replaced while it was open (D18). What is on the wire is awaited and recorded in the
 * open file, which is saved beside its path. Then the process ends, because the next one must begin from that copy.
 */
export async function leaveLedger(worker: SendingWorker): Promise<void> {
  const { env, dispatcher } = worker;
  env.log.error({}, 'the ledger was removed or replaced while it was in use: nothing more is claimed');
  await Promise.race([dispatcher.stop(), env.clock.sleep(ANSWERS_MS)]);
  try {
    const copy = await env.ledger.rescue(env.clock.now());
    env.log.error({ copy }, 'the ledger that was in use is saved');
  } catch (error) {
    env.log.error({ error: String(error) }, 'the ledger that was in use could not be saved');
  }
  worker.fatal(
    new TumaError('ledger_lost', { message: 'The ledger was removed or replaced while it was in use.' }),
  );
}
