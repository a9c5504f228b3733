import { z } from 'zod';
import { AdvicePart, advicePart } from './advice.ts';
import type { Task as TaskNow, TaskResult } from '../../../campaign/tasks/task.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { Count, Time } from './common.ts';

/** Long work, as the API shows it. */
export const Task = z
  .object({
    id: z.string(),
    kind: z.enum(['export', 'purge', 'erase']),
    state: z
      .enum(['working', 'stopped', 'done', 'failed'])
      .describe('stopped: its process died; `POST /tasks/{id}/again` goes on.'),
    by: z.string(),
    campaign: z.string().nullable().describe('The id of its campaign.'),
    done: Count.describe('Steps that are done, such as rows.'),
    total: Count.nullable().describe('All steps; null: nobody knows.'),
    begun_at: Time,
    ended_at: Time.nullable(),
    file: z
      .object({ name: z.string(), rows: Count, bytes: Count })
      .nullable()
      .describe(
        'Of an export; null once it is done: removed because a person’s data was erased. Make it again.',
      ),
    removed: z
      .object({
        messages: Count,
        replies: Count,
        reports: Count,
        webhooks: Count,
        campaigns: Count.optional().describe('Of a purge.'),
        left: Count.optional().describe(
          'Campaigns that a purge left, because something waits there or was sent since.',
        ),
        shared: Count.optional().describe('Raw webhooks that are about somebody else, too, and stay.'),
        rewritten: z.boolean().describe('false: unused space of the ledger may still hold traces.'),
      })
      .nullable()
      .describe('Of a purge or an erasure.'),
    failure: z
      .object({
        code: z.string(),
        message: z.string(),
        hint: z.string().nullable(),
        advice: AdvicePart.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Task' });

/** A task as a document. */
export function taskDocument(task: TaskNow): z.output<typeof Task> {
  const { id, kind, state, by, campaign, done, total, begunAt, endedAt, result, failure } = task;
  const file = result?.kind === 'export' ? result : null;
  return {
    id,
    kind,
    state,
    by,
    campaign,
    done,
    total,
    begun_at: isoTime(begunAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
    removed:
      result === null || result.kind === 'export' || result.kind === 'export_erased'
        ? null
        : removedOf(result),
    file: file === null ? null : { name: file.name, rows: file.rows, bytes: file.bytes },
    failure: failure === null ? null : { ...failure, advice: advicePart(failure.advice) },
  };
}

function removedOf({ kind: _kind, ...removed }: Extract<TaskResult, { kind: 'purge' | 'erase' }>) {
  return removed;
}
