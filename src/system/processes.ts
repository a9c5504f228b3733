import { readFileSync, readlinkSync } from 'node:fs';
import type { Processes } from '../campaign/env.ts';
import type { WorkerIdentity } from '../ledger/contracts/records.ts';

/** Index of the start time among the fields of /proc/PID/stat that follow the name's closing bracket. */
const START_TICKS_FIELD = 19;
const UNKNOWN = '';

/** Tells dead processes by pid and start time, within one boot and one pid namespace. */
export function systemProcesses(roles: string): Processes {
  const self: WorkerIdentity = {
    bootId: read('/proc/sys/kernel/random/boot_id').trim(),
    pidNamespace: link('/proc/self/ns/pid'),
    pid: process.pid,
    startTicks: startTicksIn(statOf(process.pid) ?? ''),
    roles,
  };
  return { self: () => self, fate: (identity) => fateOf(identity, self) };
}

function fateOf(identity: WorkerIdentity, self: WorkerIdentity): 'alive' | 'dead' | 'unknown' {
  const comparable =
    self.bootId !== UNKNOWN && identity.bootId === self.bootId && identity.pidNamespace === self.pidNamespace;
  if (!comparable) return 'unknown';
  const now = statOf(identity.pid);
  // A process without a free file descriptor sees nothing, and that proves nobody's death.
  if (now === null) return 'unknown';
  // A reused pid has another start time; a process that is gone has none.
  return startTicksIn(now) === identity.startTicks ? 'alive' : 'dead';
}

/** The system's line on a process: empty when there is no such process, null when it cannot be seen. */
function statOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ESRCH' ? '' : null;
  }
}

function startTicksIn(stat: string): string {
  // The name in brackets may hold spaces and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended: it only waits for its parent to notice.
  return fields[0] === 'Z' ? UNKNOWN : (fields[START_TICKS_FIELD] ?? UNKNOWN);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return UNKNOWN;
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return UNKNOWN;
  }
}
