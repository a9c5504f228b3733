import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FILE_MAX_BYTES } from '../../contacts/limits.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Env } from '../env.ts';
import { type ImportedOptOuts, importOptOuts, type RejectedLine } from './import-opt-outs.ts';

/** A list that somebody sends. */
export interface UploadedOptOuts {
  stream: Readable;
  /** Asked after the end: true where the stream was cut, because the list is too large. */
  isTooLarge?: () => boolean;
  /** The bytes that were announced; null: nobody said. */
  length: number | null;
  /** As its person calls it; only for words. */
  name: string;
  /** A folder that goes with this process; only this user may read it. */
  folder: string;
  country: string;
  by: string;
}

/** Rows without a number that are told one by one. */
const MOST_TOLD = 100;

/** What an import did, with the first rows that could not be read. */
export interface UploadedResult extends Omit<ImportedOptOuts, 'rejects'> {
  rejected: RejectedLine[];
}

/**
 * Opts out every number of a list that is sent: it is stored first, so that a cut upload changes nothing. Throws the
 * errors of `importOptOuts` and those of the stream.
 */
export async function importUploadedOptOuts(
  env: Pick<Env, 'ledger' | 'clock'>,
  { stream, isTooLarge = () => false, length, name, folder, country, by }: UploadedOptOuts,
): Promise<UploadedResult> {
  const own = join(folder, `optouts-${randomBytes(6).toString('hex')}`);
  await mkdir(own, { mode: 0o700 });
  try {
    // The name is ours: the bytes say what kind of file it is.
    const path = join(own, 'list');
    const bytes = await write(stream, path);
    if (isTooLarge()) throw tooLarge();
    if (length !== null && bytes !== length) throw inPart();
    const rejected: RejectedLine[] = [];
    const { rejects: _rejects, ...result } = await importOptOuts(env, {
      path,
      copies: { folder: own, input: Readable.from([]) },
      rejectsPlace: { path: join(own, 'rejects.csv'), ifTaken: 'replace' },
      country,
      by,
      name,
      onReject: (reject) => void (rejected.length < MOST_TOLD && rejected.push(reject)),
    });
    return { ...result, rejected };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function write(stream: Readable, path: string): Promise<number> {
  let bytes = 0;
  async function* bounded(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > FILE_MAX_BYTES) throw tooLarge();
      yield chunk;
    }
  }
  try {
    await pipeline(stream, bounded, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    throw error instanceof TumaError || !stream.readableAborted ? error : inPart();
  }
  return bytes;
}

function tooLarge(): TumaError {
  return new TumaError('contacts_invalid', {
    message: `The file is larger than ${FILE_MAX_BYTES / 2 ** 20} MB. Nobody was opted out.`,
    hint: 'Split it.',
  });
}

function inPart(): TumaError {
  return new TumaError('contacts_invalid', {
    message: 'The file came only in part. Nobody was opted out.',
    hint: 'Send it again.',
  });
}
