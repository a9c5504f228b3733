import type { PurgeLook } from '../maintenance/purge.ts';
import type { Task, TaskActor } from './task.ts';
import type { Tasks } from './tasks.ts';

/** The steps of a removal that are shown: of a hundred. */
export const ERASE_STEPS = 100;

/** Begins the purge of exactly what was shown. Throws as `Tasks.begin`. */
export function beginPurge(
  tasks: Tasks,
  { actor, look }: { actor: TaskActor; look: PurgeLook },
): Promise<Task> {
  const { before, campaigns } = look;
  return tasks.begin(actor, {
    asked: { kind: 'purge', before, campaigns: campaigns.map(({ campaign }) => campaign.n) },
    total: campaigns.length,
    audit: null,
  });
}

/** Begins the removal of one person's data. Throws as `Tasks.begin`. */
export function beginErasure(
  tasks: Tasks,
  { actor, mobile }: { actor: TaskActor; mobile: string },
): Promise<Task> {
  return tasks.begin(actor, {
    asked: { kind: 'erase', mobile },
    total: ERASE_STEPS,
    audit: null,
  });
}
