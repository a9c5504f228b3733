import { Readable } from 'node:stream';
import { z } from 'zod';
import { statusDocument } from '../../../reports/campaign-status.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { lookNow, overviewOf } from '../look.ts';
import { CampaignParams } from '../schemas/common.ts';

/** A campaign is looked at so often, however many programs listen. */
const LOOK_MS = 500;
/** Without a word for so long, a proxy takes a connection for dead. */
const SILENCE_MS = 15_000;

/** One look at a campaign. */
interface Look {
  text: string;
  /** True: nothing of it will be sent any more, unless a person orders it. */
  isOver: boolean;
}

/** The progress of campaigns as server-sent events. */
export function eventRoutes(api: Api, { web }: ApiEnv): void {
  const looks = new SharedLooks(web);
  const closing = new AbortController();
  api.addHook('preClose', async () => closing.abort());
  api.get(
    '/campaigns/:id/events',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The progress of a campaign, as server-sent events',
        description:
          'First the present state, then each change, at most two a second: `event: campaign` with the document of `GET /campaigns/{id}` in its short form. `event: end` follows when nothing is left to send, and the stream ends. After a lost connection ask again: the first event has everything.',
        params: CampaignParams,
        response: {
          200: { description: 'Events.', content: { 'text/event-stream': { schema: z.string() } } },
        },
      },
    },
    async ({ params }, reply) => {
      const { campaign } = await overviewOf(web, params.id);
      const events = Readable.from(eventsOf({ web, looks, signal: closing.signal }, campaign.id));
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(events as never);
    },
  );
}

/** Ends with the reader, which asks for no more then. */
async function* eventsOf(
  { web, looks, signal }: { web: WebEnv; looks: SharedLooks; signal: AbortSignal },
  id: string,
): AsyncGenerator<string> {
  let [told, toldAt] = ['', 0];
  while (!signal.aborted) {
    const { text, isOver } = await looks.at(id);
    const now = web.clock.monotonic();
    if (text !== told) {
      [told, toldAt] = [text, now];
      yield `event: campaign\ndata: ${text}\n\n`;
    } else if (now - toldAt >= SILENCE_MS) {
      toldAt = now;
      yield ': still here\n\n';
    }
    if (isOver) break;
    await web.clock.sleep(LOOK_MS, signal);
  }
  // A program that is cut off comes back; one that heard the end does not.
  if (!signal.aborted) yield 'event: end\ndata: {}\n\n';
}

/** One look at a campaign serves all who listen. */
class SharedLooks {
  readonly #web: WebEnv;
  readonly #latest = new Map<string, { at: number; look: Promise<Look> }>();

  constructor(web: WebEnv) {
    this.#web = web;
  }

  at(id: string): Promise<Look> {
    const now = this.#web.clock.monotonic();
    const known = this.#latest.get(id);
    if (known !== undefined && now - known.at < LOOK_MS) return known.look;
    for (const [other, { at }] of this.#latest) if (now - at >= LOOK_MS) this.#latest.delete(other);
    const look = this.#look(id);
    this.#latest.set(id, { at: now, look });
    return look;
  }

  async #look(id: string): Promise<Look> {
    const overview = await overviewOf(this.#web, id);
    const { state, messages } = overview;
    const isOver = (state === 'finished' || state === 'canceled') && messages.sending === 0;
    return { text: JSON.stringify(statusDocument(overview, await lookNow(this.#web))), isOver };
  }
}
