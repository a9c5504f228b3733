import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskReader, TaskRow } from '../../ledger/contracts/tasks.ts';
import type { ExportFormat, TaskResult } from './task.ts';

/* The files of tasks: `exports/` of the shared folder, for this user only. Their names are ours. */

/** A task that has ended, and its file, are kept for so long. */
export const TASK_KEPT_MS = 24 * 60 * 60_000;

/** The folder; it is made when it is missing. */
export async function exportsFolder(sharedFolder: string): Promise<string> {
  const folder = join(sharedFolder, 'exports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The name of a file: the task, and the try, because a process that was taken for dead may still write its own. */
export function exportFile(
  id: string,
  { attempt, format }: { attempt: string; format: ExportFormat },
): string {
  return `${id}-${attempt}.${format}`;
}

/** Removes the files of tasks that are gone, failed, or whose file an erasure took. A file is listed before its task is looked for, so a new one is never taken for gone. */
export async function removeStrayFiles(
  sharedFolder: string,
  reader: Pick<TaskReader, 'tasks'>,
): Promise<void> {
  const folder = join(sharedFolder, 'exports');
  const files = await readdir(folder).catch(() => []);
  if (files.length === 0) return;
  const kept = new Set((await reader.tasks()).filter(mayHaveFile).map(({ id }) => id));
  for (const file of files)
    if (!kept.has(file.split('-', 1)[0] ?? '')) await rm(join(folder, file), { force: true });
}

/**
 * Removes files that nobody has written to for as long as one is kept. It needs no ledger, so that every command can do
 * it: pages that do not run remove nothing. Never throws: what cannot be removed holds nobody up.
 */
export async function removeOldFiles(sharedFolder: string, now: number): Promise<void> {
  const folder = join(sharedFolder, 'exports');
  for (const file of await readdir(folder).catch(() => [])) {
    const path = join(folder, file);
    const written = await stat(path).catch(() => null);
    const isOld = written?.isFile() === true && now - written.mtimeMs > TASK_KEPT_MS;
    if (isOld) await rm(path, { force: true }).catch(() => undefined);
  }
}

function mayHaveFile({ state, result }: TaskRow): boolean {
  if (state === 'working') return true;
  return state === 'done' && (JSON.parse(result ?? '{}') as Partial<TaskResult>).kind === 'export';
}
