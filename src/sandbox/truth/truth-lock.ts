import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SandboxError } from '../sandbox-error.ts';

/**
 * Locks a truth log for this process, because two writers would repeat ids. The lock file names its process, and the lock
 * of a dead process is free. Returns the release. Throws a SandboxError when another process holds the lock.
 */
export function lockTruth(file: string): () => void {
  const lock = `${file}.lock`;
  if (!take(lock)) {
    if (isHeld(lock)) {
      throw new SandboxError('truth_in_use', {
        message: 'Another sandbox is writing this truth log.',
        where: file,
        hint: 'Stop it, or give this one a log of its own.',
      });
    }
    rmSync(lock, { force: true });
    if (!take(lock)) return lockTruth(file);
  }
  return () => {
    rmSync(lock, { force: true });
  };
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, identityOf(process.pid) ?? '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'EEXIST') return false;
    throw failure;
  }
}

function isHeld(lock: string): boolean {
  const holder = readFileSync(lock, 'utf8');
  const pid = Number(holder.split(' ')[0]);
  return Number.isSafeInteger(pid) && pid > 0 && identityOf(pid) === holder;
}

/**
 * "pid start-time"; null: no such process. The start time matters because a later process may get the same pid (in a
 * container it is always 1). Without /proc only the pid counts.
 */
function identityOf(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (failure) {
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'EPERM')) return null;
  }
  return `${pid} ${startTimeOf(pid)}`;
}

/** Field 22 of /proc/pid/stat, counted after the name in brackets; empty where there is no /proc. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
