import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { LEAST_FREE_FOR_FILES_BYTES, lackOfRoom, TumaError } from '../domain/errors.ts';
import type { ReplyRow } from '../ledger/contracts/replies.ts';
import { mediaOf } from '../reports/inbox-rows.ts';
import { statusOf } from './answer-errors.ts';
import type { FileAnswer } from './send-file.ts';
import type { FetchedMedia, WebEnv } from './web-env.ts';

/** So many files are downloaded or sent at once; each takes room on the disk until it is sent. */
const MOST_AT_ONCE = 4;

/** The file of a chat message, ready to be sent, or why there is none. */
export type ChatFile =
  | { outcome: 'saved'; file: FileAnswer & { content: Readable } }
  | {
      outcome: Exclude<FetchedMedia['outcome'], 'saved'> | 'busy';
      status: number;
      words: string;
      error: TumaError;
    };

const underWay = new WeakMap<WebEnv, Set<string>>();

/**
 * Fetches the file of a reply through the provider, whole, into a file that goes with this answer. Its name is ours, and
 * it is never shown: whoever wrote chose what is in it. Throws `not_found` for a reply without a file, and `ledger_full`
 * where the disk has no room for it.
 */
export async function chatFile(env: WebEnv, from: ReplyRow, reply: FastifyReply): Promise<ChatFile> {
  const { recordId } = from;
  if (recordId === null || mediaOf(from) === null)
    throw new TumaError('not_found', { message: 'No file came with this reply.' });
  const files = underWay.get(env) ?? new Set<string>();
  underWay.set(env, files);
  if (files.size >= MOST_AT_ONCE) return busy();
  const path = join(env.temporary.path, `media-${randomBytes(8).toString('hex')}`);
  files.add(path);
  const free = () => files.delete(path);
  try {
    const media = await fetched(env, { id: recordId, path, reply });
    if (media.outcome === 'saved') afterwards(reply, media.file.content, free);
    else free();
    return media;
  } catch (error) {
    free();
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** The open file takes its room until the answer has ended, however it ends. It may have ended already. */
function afterwards({ raw }: FastifyReply, content: Readable, free: () => void): void {
  const end = () => {
    content.destroy();
    free();
  };
  if (raw.destroyed) end();
  else raw.once('close', end);
}

async function fetched(
  env: WebEnv,
  { id, path, reply }: { id: string; path: string; reply: FastifyReply },
): Promise<ChatFile> {
  const left = new AbortController();
  const leave = () => left.abort();
  reply.raw.once('close', leave);
  let name = '';
  const media = await env
    .chatMedia({
      id,
      signal: left.signal,
      async keep({ name: named, bytes }) {
        name = named;
        const whole = Readable.from(whileRoom(env, bytes));
        await pipeline(whole, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
        return path;
      },
    })
    .finally(() => reply.raw.off('close', leave));
  if (media.outcome !== 'saved') return { ...media, status: statusOf(media.error) };
  // The open file outlives its name.
  const content = createReadStream('', { fd: await open(path) });
  return { outcome: 'saved', file: { name, type: 'application/octet-stream', content } };
}

/** Nobody's download takes the room of webhooks and verdicts. */
async function* whileRoom({ temporary }: WebEnv, bytes: AsyncIterable<Uint8Array>) {
  for await (const chunk of bytes) {
    const lack = lackOfRoom(temporary.freeBytes, LEAST_FREE_FOR_FILES_BYTES);
    if (lack !== null) throw lack;
    yield chunk;
  }
}

function busy(): ChatFile {
  const error = new TumaError('busy', {
    message: 'Other files are being downloaded now.',
    hint: 'Try again in a moment.',
  });
  return { outcome: 'busy', status: 503, words: '', error };
}
