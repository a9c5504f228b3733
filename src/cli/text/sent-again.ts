import type { Campaign } from '../../domain/campaign.ts';
import type { Context } from '../context.ts';

/** Says that of reminders not all that is retried, or called not sent, goes again (docs/reminders.md). */
export function noteOfReminders({ output }: Pick<Context, 'output'>, { settings }: Campaign): void {
  if (settings.remind === undefined) return;
  output.note(
    'A reminder goes once, as the last contacts have it, and in time: else it is skipped or canceled, as the report says.',
  );
}
