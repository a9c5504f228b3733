import { readStored } from '../../campaign/inbound/report-loop.ts';
import type { Context } from '../context.ts';

/**
 * Reads what the collector stored and nobody has read, such as the last reports of a launch that was killed, so that a
 * report that is shown next knows of them. Says so when it could not read all.
 */
export async function readLeftovers(context: Context): Promise<void> {
  const { clock, log, output } = context;
  const ledger = await context.ledger();
  const isLeft = async () => (await ledger.newWebhooks(1)).length > 0;
  if (!(await isLeft())) return;
  await readStored({ clock, log, ledger }, await context.webhookReading());
  if (await isLeft())
    output.note(
      'Not every stored report is read yet: `tuma serve` reads the rest, and the report then changes.',
    );
}
