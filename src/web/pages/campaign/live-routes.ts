import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { creditWords, frameOf, type Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { creditView } from '../../views/layout.ts';
import type { WebEnv } from '../../web-env.ts';
import { LiveCampaigns } from './live-campaigns.ts';
import type { CampaignNow } from './campaign-now.ts';
import { liveParts, sayView } from './view.ts';

/** The sentence for who does not see the page, at most so often. */
const SAY_MS = 5_000;
/** A page takes a stream that is silent for longer for lost: stay-live.js. */
const SILENT_MS = 15_000;

/** The stream of a campaign's page: its changed parts, all of them at first. session/open-requests.ts ends it with its session. */
export function liveRoutes(app: FastifyInstance, env: WebEnv): void {
  const live = new LiveCampaigns(env);
  const open = new Set<() => void>();
  app.addHook('preClose', (done) => {
    for (const end of open) end();
    done();
  });
  app.get('/campaigns/:id/live', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const { n } = await campaignWithId(await env.reader(), id);
    const frame = await frameOf(request, reply, env);
    const stream = openStream(reply);
    const page = new LivePage(frame, env.clock.monotonic());
    let sentAt = env.clock.monotonic();
    const leave = live.watch(n, (now) => {
      // A page that does not read fast enough misses a look, and gets a later one.
      if (reply.raw.writableNeedDrain) return;
      const at = env.clock.monotonic();
      const parts = page.changed(now, at);
      if (parts.length > 0) stream.send(parts);
      else if (at - sentAt >= SILENT_MS) stream.stillHere();
      else return;
      sentAt = at;
    });
    const end = () => {
      leave();
      open.delete(end);
      reply.raw.end();
    };
    open.add(end);
    reply.raw.on('close', end);
  });
}

/** What one open page was sent last. */
class LivePage {
  readonly #frame: Frame;
  #saidAt: number;
  #sent = new Map<string, string>();

  constructor(frame: Frame, openedAt: number) {
    this.#frame = frame;
    this.#saidAt = openedAt;
  }

  /** The parts that differ from those sent before. `at`: milliseconds of a monotonic clock. */
  changed(now: CampaignNow, at: number): Html[] {
    const frame = { ...this.#frame, now: now.now };
    const parts = liveParts(frame, now);
    // The top has no place for it where no balance was known, or several accounts are.
    if (frame.credit !== null && now.ahead.creditMicro !== null)
      parts.push(creditView(frame.words, creditWords(frame.currency, now.ahead.creditMicro)));
    if (at - this.#saidAt >= SAY_MS) parts.push(sayView(frame, now));
    const changed = parts.filter((part) => this.#sent.get(idOf(part)) !== part.text);
    if (changed.some((part) => idOf(part) === 'live-say')) this.#saidAt = at;
    for (const part of changed) this.#sent.set(idOf(part), part.text);
    return changed.map(
      (part) => html`<hx-partial hx-target="#${idOf(part)}" hx-swap="outerMorph">${part}</hx-partial>`,
    );
  }
}

/** Each part begins with its own id. */
function idOf({ text }: Html): string {
  return /\sid="([\w-]+)"/.exec(text)?.[1] ?? '';
}

/** Begins a stream of events. */
function openStream(reply: FastifyReply): { send: (parts: readonly Html[]) => void; stillHere: () => void } {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  } as Record<string, string>);
  return {
    send(parts) {
      const data = html`${parts}`.text
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('');
      reply.raw.write(`${data}\n`);
    },
    stillHere: () => reply.raw.write('event: still\ndata:\n\n'),
  };
}
