import { stateMeant, totalOf } from '../../domain/message.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { ExportAsked, Task, TaskActor } from './task.ts';
import type { Tasks } from './tasks.ts';

/** A file of more rows is made in a process of its own; a smaller one is answered at once. */
export const MOST_STREAMED_ROWS = 20_000;

/** The messages that such a file reads; it may hold fewer where a delivery or a reason is asked for, too. */
export function rowsToRead(
  overview: CampaignOverview,
  asked: Pick<ExportAsked, 'state' | 'delivery'>,
): number {
  const state = stateMeant(asked.state, asked.delivery);
  return state === null ? totalOf(overview) : overview.messages[state];
}

/** Begins to make a file of messages. Throws as `Tasks.begin`. */
export function beginExport(
  tasks: Tasks,
  { actor, overview, asked }: { actor: TaskActor; overview: CampaignOverview; asked: ExportAsked },
): Promise<Task> {
  const { format, as, state, delivery, reason } = asked;
  const isWhole = delivery === null && reason === null && as === 'messages';
  const narrowed = state ?? delivery;
  return tasks.begin(actor, {
    asked,
    total: isWhole ? rowsToRead(overview, asked) : null,
    audit: {
      campaign: overview.campaign.n,
      detail: { format, as, ...(narrowed === null ? {} : { state: narrowed }) },
    },
  });
}
