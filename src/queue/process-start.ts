import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * When a process started, as the system tells it (an opaque text), or null when there is none of that id. The id with
 * this text is one process for ever; the id alone may be given to another.
 */
export async function processStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) return startOf(stat);
  if (process.platform === 'linux') return null;
  const ps = await promisify(execFile)('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return ps?.stdout.trim() || null;
}

/** The state is field 3 and the start field 22; the name before them is in brackets and may hold anything. */
function startOf(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isGone = fields[0] === 'Z' || fields[0] === 'X';
  return isGone ? null : (fields[19] ?? null);
}
