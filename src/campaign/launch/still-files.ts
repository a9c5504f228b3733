import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { FILE_MAX_BYTES } from '../../contacts/limits.ts';
import type { Reread } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Clock } from '../env.ts';
import { loadJob } from '../jobs/load-job.ts';

/*
 * Files that are read anew at each firing may be written at that moment, and half of a list must not be sent as a
 * whole one. So they are looked at twice, and only files that were the same both times are planned. No time stamp is
 * compared with a clock, because a copy may keep an old one and a share may have a clock of its own.
 */

/** The two looks are so far apart. */
export const STILL_FOR_MS = 30_000;

/** The files of a firing at one moment, as a hash. Equal hashes: no content, size or time changed. */
export type FilesLook = string;

/** One look. `contents`: the hash of the bytes of each file that could be read (hex sha256). */
export interface LookedFiles {
  look: FilesLook;
  contents: ReadonlyMap<string, string>;
}

/** Looks at the job file, its text and its contacts. A missing or wrong file is a part of the look, too. */
export async function lookAtFiles({ job, contacts }: Reread): Promise<LookedFiles> {
  const { paths, problem } = await filesOf(job, contacts);
  const looks = await Promise.all([...new Set(paths)].map(lookAt));
  const look = createHash('sha256')
    .update(JSON.stringify([looks.map(({ facts }) => facts), problem]))
    .digest('hex');
  const read = looks.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256] as const]));
  return { look, contents: new Map(read) };
}

async function filesOf(job: string, contacts: string | null): Promise<{ paths: string[]; problem: string }> {
  const given = contacts === null ? [] : [contacts];
  try {
    const { template, contactsPath } = await loadJob(job);
    const named = contactsPath === null ? [] : [contactsPath];
    return { paths: [job, template.file, ...named, ...given], problem: '' };
  } catch (error) {
    if (!(error instanceof TumaError)) throw error;
    const named = (error.where ?? '').replace(/(?::\d+)+$/, '');
    return { paths: [job, ...given, ...(named === '' ? [] : [named])], problem: error.message };
  }
}

async function lookAt(path: string): Promise<{ path: string; facts: string[]; sha256: string | null }> {
  try {
    const stats = await stat(path, { bigint: true });
    // A share may number its files anew, so device and file number say nothing.
    const { size, mtimeNs, ctimeNs } = stats;
    const facts = [path, ...[size, mtimeNs, ctimeNs].map(String)];
    // A pipe would not end, and a file that is too large is refused when it is read.
    if (!stats.isFile() || size > FILE_MAX_BYTES) return { path, facts, sha256: null };
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    const sha256 = hash.digest('hex');
    return { path, facts: [...facts, sha256], sha256 };
  } catch (error) {
    return { path, facts: [path, (error as NodeJS.ErrnoException).code ?? String(error)], sha256: null };
  }
}

interface Seen {
  nextAt: number;
  look: FilesLook;
  /** A look differed from the one before. */
  changed: boolean;
  /** Monotonic milliseconds. */
  at: number;
}

/** The first looks of one process at the files of recurring jobs that are due. */
export class FirstLooks {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #seen = new Map<number, Seen>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The first look of a job for its firing; null: there was none. */
  of(schedule: number, nextAt: number): FilesLook | null {
    const seen = this.#seen.get(schedule);
    return seen?.nextAt === nextAt ? seen.look : null;
  }

  /** True: it is too early for the second look. */
  isTooEarly(schedule: number, nextAt: number): boolean {
    const seen = this.#seen.get(schedule);
    return seen?.nextAt === nextAt && this.#clock.monotonic() - seen.at < STILL_FOR_MS;
  }

  /** True: two looks for this firing differed. */
  haveChanged(schedule: number, nextAt: number): boolean {
    const seen = this.#seen.get(schedule);
    return seen?.nextAt === nextAt && seen.changed;
  }

  /** Notes a look that was just taken. */
  note(schedule: number, nextAt: number, look: FilesLook): void {
    const before = this.of(schedule, nextAt);
    const changed = this.haveChanged(schedule, nextAt) || (before !== null && before !== look);
    this.#seen.set(schedule, { nextAt, look, changed, at: this.#clock.monotonic() });
  }

  /** The firing is decided. */
  forget(schedule: number): void {
    this.#seen.delete(schedule);
  }
}
