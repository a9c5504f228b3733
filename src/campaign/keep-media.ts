import { TumaError } from '../domain/errors.ts';
import type { ReplyReader, ReplyRow } from '../ledger/replies.ts';
import type { AccountApi } from '../provider/account-api.ts';
import type { Env } from './env.ts';
import { runLoop } from './loop.ts';

const EVERY_MS = 5_000;
/** Messages older than this are left alone: the service does not keep their files for ever. */
const LOOK_BACK_MS = 7 * 24 * 3_600_000;
const PAGE = 500;
/** Most files that wait; the rest is found again at the next start. */
const MOST_WAITING = 10_000;
const FIRST_RETRY_MS = 10_000;
/** Wrong credentials are for a person to mend; meanwhile nothing is asked. */
const REFUSED_WAIT_MS = 60_000;
const MOST_RETRY_MS = 600_000;
const MOST_TRIES = 8;

/** Where the files of chat messages are asked for and kept. */
export interface MediaKeeping {
  replies: Pick<ReplyReader, 'replies'>;
  api: Pick<AccountApi, 'downloadMedia'>;
  folder: string;
  /** Record ids, in lower case, whose file is in the folder already. */
  kept: Set<string>;
}

/** A file that is to be fetched. */
interface Wanted {
  tries: number;
  /** Monotonic milliseconds. */
  notBefore: number;
}

/**
 * Fetches the files of received chat messages (API document 4.4) as they come in, one at a time, by the record's id alone.
 * What is in the folder is what was done: nothing else has to be remembered, and a restart goes on.
 */
export function startMediaKeeping(
  env: Pick<Env, 'clock' | 'log'>,
  keeping: MediaKeeping,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const keeper = new MediaKeeper(env, keeping, stopping.signal);
  const running = runLoop(
    env,
    { name: 'media', everyMs: EVERY_MS, step: () => keeper.step() },
    stopping.signal,
  );
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** One look for new messages and one try of each file that is due. */
export class MediaKeeper {
  readonly #env: Pick<Env, 'clock' | 'log'>;
  readonly #keeping: MediaKeeping;
  readonly #signal: AbortSignal;
  readonly #wanted = new Map<string, Wanted>();
  /** The newest reply that was looked at. */
  #seen = 0;
  /** Monotonic milliseconds. */
  #refusedUntil = 0;

  constructor(env: Pick<Env, 'clock' | 'log'>, keeping: MediaKeeping, signal: AbortSignal) {
    this.#env = env;
    this.#keeping = keeping;
    this.#signal = signal;
  }

  async step(): Promise<void> {
    await this.#look();
    for (const [id, wanted] of this.#wanted) {
      if (this.#signal.aborted || this.#refusedUntil > this.#env.clock.monotonic()) return;
      if (wanted.notBefore <= this.#env.clock.monotonic()) await this.#fetch(id, wanted);
    }
  }

  async #look(): Promise<void> {
    const since = this.#env.clock.now() - LOOK_BACK_MS;
    let newest = this.#seen;
    for (let beforeId: number | null = null; ; ) {
      const rows: ReplyRow[] = await this.#keeping.replies.replies({
        campaign: null,
        since,
        beforeId,
        limit: PAGE,
      });
      const fresh = rows.filter(({ id }) => id > this.#seen);
      for (const row of fresh) this.#want(row);
      newest = Math.max(newest, fresh[0]?.id ?? 0);
      beforeId = fresh.at(-1)?.id ?? null;
      if (fresh.length < PAGE || this.#wanted.size >= MOST_WAITING) break;
    }
    this.#seen = newest;
  }

  #want({ channel, recordId, detail }: ReplyRow): void {
    const type = detail['media_type'] ?? 'text';
    if (channel !== 'chat' || recordId === null || type === 'text') return;
    const id = recordId.toLowerCase();
    if (this.#keeping.kept.has(id) || this.#wanted.size >= MOST_WAITING) return;
    this.#wanted.set(id, { tries: 0, notBefore: 0 });
  }

  async #fetch(id: string, wanted: Wanted): Promise<void> {
    const { api, folder, kept } = this.#keeping;
    const result = await api.downloadMedia({ id, out: folder, signal: this.#signal }).catch(notAnId);
    if (this.#signal.aborted) return;
    if (result.outcome === 'saved') {
      kept.add(id);
      this.#wanted.delete(id);
      this.#env.log.info({ record: id, bytes: result.bytes, type: result.mimeType }, 'a file was kept');
    } else if (result.outcome === 'unauthorised') {
      this.#refusedUntil = this.#env.clock.monotonic() + REFUSED_WAIT_MS;
      this.#env.log.warn({ why: result.words }, 'files cannot be kept: the v2 API refuses the credentials');
    } else if (result.outcome === 'too_large' || result.outcome === 'no_id') {
      this.#giveUp(id, result.outcome);
    } else {
      this.#tryLater(id, { wanted, why: result.words });
    }
  }

  #tryLater(id: string, { wanted, why }: { wanted: Wanted; why: string }): void {
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** wanted.tries, MOST_RETRY_MS);
    wanted.notBefore = this.#env.clock.monotonic() + waitMs;
    wanted.tries += 1;
    if (wanted.tries >= MOST_TRIES) this.#giveUp(id, why);
  }

  #giveUp(id: string, why: string): void {
    this.#wanted.delete(id);
    this.#env.log.warn({ record: id, why }, 'a file is not kept');
  }
}

/** Whoever knows the webhook's address can write anything where the id belongs. */
function notAnId(error: unknown): { outcome: 'no_id' } {
  if (error instanceof TumaError && error.code === 'usage') return { outcome: 'no_id' };
  throw error;
}
