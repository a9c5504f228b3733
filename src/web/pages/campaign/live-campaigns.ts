import { setTimeout as wait } from 'node:timers/promises';
import type { WebEnv } from '../../web-env.ts';
import {
  campaignNow,
  type CampaignBackground,
  type CampaignNow,
  type CampaignNumbers,
  readBackground,
  readNumbers,
} from '../../campaign-now.ts';

/** At most two looks a second while messages leave. */
const BUSY_MS = 500;
/** What is settled changes only by late reports and by orders. */
const CALM_MS = 3_000;
/** What lies behind the numbers is read less often. */
const BACKGROUND_MS = 5_000;

/** Gets each new look at a campaign. */
export type Watcher = (now: CampaignNow) => void;

/** One look a moment for all open pages of a campaign, and none while nobody watches. */
export class LiveCampaigns {
  readonly #env: WebEnv;
  readonly #watched = new Map<number, Set<Watcher>>();

  constructor(env: WebEnv) {
    this.#env = env;
  }

  /** Watches a campaign until the returned function is called. */
  watch(campaign: number, watcher: Watcher): () => void {
    const known = this.#watched.get(campaign);
    const watchers = known ?? new Set();
    watchers.add(watcher);
    if (known === undefined) {
      this.#watched.set(campaign, watchers);
      void this.#look(campaign, watchers);
    }
    return () => {
      watchers.delete(watcher);
      // The next one begins a new round: the old one sees that its set is not the one in use.
      if (watchers.size === 0 && this.#watched.get(campaign) === watchers) this.#watched.delete(campaign);
    };
  }

  async #look(campaign: number, watchers: Set<Watcher>): Promise<void> {
    let background: (CampaignBackground & { at: number; state: string }) | null = null;
    while (watchers.size > 0) {
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
      // A process that ends does not wait for the next look.
      await wait(calm ? CALM_MS : BUSY_MS, undefined, { ref: false });
    }
  }
}

/** Nothing leaves, and no report is awaited. */
function isCalm({ overview: { state, messages }, tallies }: CampaignNumbers): boolean {
  const isSending = state === 'running' && messages.queued + messages.sending > 0;
  return !isSending && messages.sending === 0 && tallies.delivery.pending === 0;
}
