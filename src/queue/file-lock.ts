import { setTimeout as sleep } from 'node:timers/promises';
import { TumaError } from '../domain/errors.ts';
import { type FileLock, tryFileLock } from '../system/file-lock.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 20;

/**
 * Does `work` while no other process of this machine does work under the same file. Throws redis_unreachable after 30 s
 * of waiting.
 */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquire(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function acquire(path: string): Promise<FileLock> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const lock = tryFileLock(path);
    if (lock !== null) return lock;
    await sleep(POLL_MS);
  }
  throw new TumaError('redis_unreachable', {
    message: 'Another process has been starting or stopping the private Redis for 30 s',
    hint: `End the process that holds ${path}, and try again.`,
  });
}
