import type { WebEnv } from '../../web-env.ts';
import { type CampaignNumbers, readNumbers } from '../../campaign-orders.ts';
import { campaignNow, type CampaignBackground, type CampaignNow, readBackground } from './campaign-now.ts';

/** At most two looks a second while messages leave. */
const BUSY_MS = 500;
/** What is settled changes only by late reports and by orders. */
const CALM_MS = 3_000;
/** What lies behind the numbers is read less often. */
const BACKGROUND_MS = 5_000;

/** Gets each new look at a campaign. */
export type Watcher = (now: CampaignNow) => void;

/** The open pages of one campaign. */
interface Watched {
  watchers: Set<Watcher>;
  /** The last of them was closed. */
  left: AbortController;
}

/** One look a moment for all open pages of a campaign, and none while nobody watches. */
export class LiveCampaigns {
  readonly #env: WebEnv;
  readonly #watched = new Map<number, Watched>();

  constructor(env: WebEnv) {
    this.#env = env;
  }

  /** Watches a campaign until the returned function is called. */
  watch(campaign: number, watcher: Watcher): () => void {
    const known = this.#watched.get(campaign);
    const watched = known ?? { watchers: new Set(), left: new AbortController() };
    const { watchers, left } = watched;
    watchers.add(watcher);
    if (known === undefined) {
      this.#watched.set(campaign, watched);
      void this.#look(campaign, watched);
    }
    return () => {
      watchers.delete(watcher);
      if (watchers.size > 0 || left.signal.aborted) return;
      // The next one begins a new round.
      this.#watched.delete(campaign);
      left.abort();
    };
  }

  async #look(campaign: number, { watchers, left }: Watched): Promise<void> {
    let background: (CampaignBackground & { at: number; state: string }) | null = null;
    while (!left.signal.aborted) {
      const begun = this.#env.clock.monotonic();
      let calm = true;
      try {
        const numbers = await readNumbers(this.#env, campaign);
        const { state } = numbers.overview;
        if (background === null || background.state !== state || begun - background.at > BACKGROUND_MS)
          background = { ...(await readBackground(this.#env, numbers)), at: begun, state };
        calm = isCalm(numbers);
        const now = campaignNow(this.#env, numbers, background);
        for (const watcher of watchers) watcher(now);
      } catch (error) {
        this.#env.log.warn({ error: String(error) }, 'a campaign could not be read for its open pages');
      }
      await this.#env.clock.sleep(calm ? CALM_MS : BUSY_MS, left.signal);
    }
  }
}

/** Nothing leaves, and no report is awaited. */
function isCalm({ overview: { state, messages }, tallies }: CampaignNumbers): boolean {
  const isSending = state === 'running' && messages.queued + messages.sending > 0;
  return !isSending && messages.sending === 0 && tallies.delivery.pending === 0;
}
