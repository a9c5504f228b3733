import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent, onAsked, readOptions, tell } from './parent.ts';
import { quantile } from './spread.ts';

/*
 * Those who look at a campaign while it is sent: so many live pages, each a stream that is held open, and one that loads
 * the whole page again and again. It reads what it is sent and draws nothing, for on a small machine a browser and what is
 * measured would share the processors.
 */

interface VisitorOptions {
  /** The link of this machine. */
  link: string;
  /** Live pages that are held open. */
  pages: number;
  /** Milliseconds from the answer of one load to the next load; null: no loads. */
  loadEveryMs: number | null;
}

/** What the visitors saw up to now. */
export interface Visits {
  /** Updates that each live page was sent, the first look not counted. */
  updates: number[];
  /** Whole pages that were loaded, and how long they took from the request to the last byte. */
  loads: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

/** Planning may take a minute, and who asks more than 1,200 times a minute is refused. */
const LOOK_MS = 150;
/** A campaign's id is eight letters and digits; other pages have words there. */
const CAMPAIGN = /href="(\/campaigns\/[a-z0-9]{8})"/;

const { link, pages, loadEveryMs } = readOptions<VisitorOptions>();
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const updates: number[] = Array.from({ length: pages }, () => 0);
const latencies: number[] = [];

async function visit(): Promise<void> {
  const cookie = await signIn();
  const campaign = await firstCampaign(cookie);
  for (let page = 0; page < pages; page += 1) await openLive(`${campaign}/live`, { cookie, page });
  tell({ watches: campaign });
  if (loadEveryMs !== null) await loadAgainAndAgain(campaign, { cookie, pauseMs: loadEveryMs });
}

async function loadAgainAndAgain(
  campaign: string,
  { cookie, pauseMs }: { cookie: string; pauseMs: number },
): Promise<never> {
  for (;;) {
    const begun = performance.now();
    const { status } = await load(campaign, cookie);
    if (status !== 200) throw new Error(`the page of the campaign answered ${status}`);
    latencies.push(performance.now() - begun);
    await sleep(pauseMs);
  }
}

async function signIn(): Promise<string> {
  const { headers } = await ask(link, '');
  const cookies = (headers['set-cookie'] ?? []).map((each) => each.split(';', 1)[0]);
  if (cookies.length === 0) throw new Error('the link gave no session');
  return cookies.join('; ');
}

/** The page of the first campaign, once there is one. */
async function firstCampaign(cookie: string): Promise<string> {
  for (;;) {
    const { body } = await load('/campaigns', cookie);
    const [, path] = CAMPAIGN.exec(body) ?? [];
    if (path !== undefined) return path;
    await sleep(LOOK_MS);
  }
}

async function openLive(path: string, { cookie, page }: { cookie: string; page: number }): Promise<void> {
  const stream = await ask(new URL(path, link).href, cookie);
  if (stream.headers['content-type']?.startsWith('text/event-stream') !== true)
    throw new Error(`${path} answered ${stream.statusCode}, which is no stream of events`);
  let open = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const events = (open + text).split('\n\n');
    open = events.pop() ?? '';
    // A line that begins with a colon keeps the connection open and says nothing.
    updates[page] = (updates[page] ?? 0) + events.filter((event) => /^data:/m.test(event)).length;
  });
}

async function load(path: string, cookie: string): Promise<{ status: number | undefined; body: string }> {
  const answer = await ask(new URL(path, link).href, cookie);
  return { status: answer.statusCode, body: (await answer.setEncoding('utf8').toArray()).join('') };
}

function ask(url: string, cookie: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent, headers: cookie === '' ? {} : { cookie } }, resolve).on('error', reject);
  return promise;
}

function seen(): Visits {
  const at = (share: number) => (latencies.length === 0 ? null : quantile(latencies, share));
  return { updates, loads: latencies.length, p50Ms: at(0.5), p95Ms: at(0.95) };
}

onAsked(seen);
endWithParent();
await visit();
