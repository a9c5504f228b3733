import { createHash } from 'node:crypto';
import type { WishReader } from '../../domain/text/opt-out-words.ts';
import type { NewReply } from '../../ledger/contracts/replies.ts';
import type { Env } from '../env.ts';

/** An inbound message as the provider's code reads it: API document 2.5, 2.6. */
export interface ReadReply extends Omit<NewReply, 'identity' | 'wish'> {
  /** The time as it was written. */
  time: string;
}

/** A person's own number; a provider's short code cannot opt out. */
const OWN_NUMBER = /^\d{9,15}$/;

/**
 * Makes the reply that the ledger keeps. `senders` are the names under which campaigns wrote, because a STOP
 * may name one.
 */
export function replyFrom(read: ReadReply, wishOf: WishReader, senders: readonly string[] = []): NewReply {
  const { time: _time, ...reply } = read;
  const { mobile, text, addressee } = reply;
  const wish = OWN_NUMBER.test(mobile) ? wishOf(text, [addressee, ...senders]) : null;
  return { ...reply, identity: identityOf(read), wish };
}

/**
 * Two replies with one identity are one. A chat message is known by its id in the chat network, because its
 * record may come again under another id; without one, by the record's. An SMS has no id (2.5), so two
 * records with the same content and time are one reply, even under different event names.
 */
function identityOf({ channel, recordId, mobile, addressee, text, time, detail }: ReadReply): string {
  const { message_id: messageId } = detail;
  if (messageId !== undefined) return `chat:${hashOf([mobile, messageId])}`;
  if (recordId !== null) return `chat:${recordId}`;
  return `${channel}:${hashOf([channel, mobile, addressee, text, time])}`;
}

function hashOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** This many STOPs within a minute raise an alarm: a campaign annoys people, or somebody forges STOPs. */
const MOST_STOPS = 60;
const MINUTE_MS = 60_000;

/** Counts STOPs, and raises the alarm at most once a minute. Each STOP is honoured all the same. */
export class StopAlarm {
  readonly #env: Pick<Env, 'clock' | 'log'>;
  /** Monotonic milliseconds of the latest STOPs. */
  #stops: number[] = [];
  #raisedAt = -Infinity;

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.#env = env;
  }

  saw(replies: readonly NewReply[]): void {
    const now = this.#env.clock.monotonic();
    for (const { wish } of replies) if (wish === 'stop') this.#stops.push(now);
    this.#stops = this.#stops.filter((at) => at > now - MINUTE_MS).slice(-MOST_STOPS);
    if (this.#stops.length < MOST_STOPS || now - this.#raisedAt < MINUTE_MS) return;
    this.#raisedAt = now;
    this.#env.log.error(
      { stops: MOST_STOPS, seconds: 60 },
      'many people opt out at once; each is honoured, and forged ones can be taken back (docs/opt-outs.md)',
    );
  }
}
