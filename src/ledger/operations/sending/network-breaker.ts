import type { Connection } from '../../connection.ts';
import type { PauseReason } from '../../../domain/campaign.ts';
import {
  type HoldCause,
  judgeProbes,
  type NetworkShare,
  PROBE_REPORTS_MS,
  TRIALS,
  TRIES_TO_PAUSE,
} from '../../../domain/pace/network-breaker.ts';
import type { NetworkStep, Outcome } from '../../contracts/sending.ts';
import { MOST_ROWS } from '../planning/batches.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { Memory, Remembered } from '../memory.ts';
import { isNetworkFailure, NetworkFailures, networkJudge } from './network-judge.ts';
import { MOST_AHEAD_MS, type Networks } from './networks.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

interface Hold {
  campaign: number;
  /** The campaign's name for people. */
  id: string;
  network: string;
  cause: HoldCause;
  why: string | null;
}

interface OpenHold extends Hold {
  state: 'held' | 'probing';
  waitMs: number;
  reopened: number;
  /** 1: no other message of the campaign was sent while it was held. */
  alone: number;
  /** 1: a message tried it. */
  tried: number;
  /** Milliseconds since its wait, or the wait for its probes, was over; negative before. */
  pastMs: number;
}

interface Returning extends Pick<Hold, 'campaign' | 'network' | 'cause'> {
  state: 'probing' | 'well' | 'overridden';
  /** The number of messages that are trying it. */
  taken: number;
}

type Pause = (change: { campaign: number; reason: PauseReason; now: number; by: string }) => Promise<boolean>;

/** Holds ill networks of campaigns, lets a few messages try them, and releases them. */
export class NetworkBreaker {
  readonly #sql: Sql;
  readonly #campaigns: CampaignRecords;
  readonly #ill: ReturnType<typeof networkJudge>;
  readonly #failures: NetworkFailures;
  readonly #networks: Networks;
  /** The networks that verdicts showed to be ill since the last call of `watch`. */
  readonly #found: Remembered<readonly NetworkStep[]>;

  constructor(
    database: Connection,
    { campaigns, networks, memory }: { campaigns: CampaignRecords; networks: Networks; memory: Memory },
  ) {
    this.#sql = loadStatements(database, new URL('./network-breaker.sql', import.meta.url));
    this.#campaigns = campaigns;
    this.#ill = networkJudge(database);
    this.#failures = new NetworkFailures(memory);
    this.#networks = networks;
    this.#found = memory.remember([]);
  }

  /** Notes verdicts that were recorded, in their order. The last of several failures in a row holds the network. */
  async note(outcomes: readonly Outcome[], now: number): Promise<void> {
    const failed = outcomes.filter(isNetworkFailure);
    const found = await this.#networks.ofMessages(failed);
    const networks = new Map(failed.map((outcome, index) => [outcome, found[index] ?? null]));
    const ill = new Map<string, [campaign: number, network: string]>();
    for (const outcome of outcomes) {
      const network = this.#failures.note(outcome, networks.get(outcome) ?? null, now);
      if (network !== null) ill.set(`${outcome.campaign} ${network}`, [outcome.campaign, network]);
    }
    for (const [campaign, network] of ill.values()) await this.#holdFailing(campaign, network, now);
  }

  async #holdFailing(campaign: number, network: string, now: number): Promise<void> {
    const { id } = await this.#campaigns.require(campaign, { launched: true });
    const held = await this.#hold({ campaign, id, network, cause: 'sending', why: null }, now);
    this.#found.set([...this.#found.value, ...held]);
  }

  /** A person releases a campaign's networks. False: none was held. */
  async override({ campaign, now, by }: { campaign: number; now: number; by: string }): Promise<boolean> {
    if ((await this.#sql('override').run(campaign)).changes === 0) return false;
    await this.#campaigns.audit({ now, by, verb: 'network', campaign, detail: { state: 'overridden' } });
    return true;
  }

  /** Continues with the held networks, and judges the others by their reports. Returns the changes. */
  async watch(now: number, pause: Pause): Promise<NetworkStep[]> {
    const found = this.#found.value;
    this.#found.set([]);
    const open = await this.#sql<OpenHold>('open_holds').all(now, MOST_AHEAD_MS);
    const moved = await flatMapInOrder(open, (hold) => this.#moveOn(hold, now, pause));
    const judged = await flatMapInOrder(await this.#ill(now), async ({ held, ...ill }) => {
      if (!held) return await this.#hold({ ...ill, cause: 'delivery' }, now);
      // A hold is useless here, because the networks of the waiting numbers are unknown.
      const paused = await pause({ campaign: ill.campaign, reason: 'errors', now, by: 'networks' });
      return paused ? [stepOf({ ...ill, cause: 'delivery' }, 'paused')] : [];
    });
    return [...found, ...moved, ...judged];
  }

  /**
   * Brings held messages back to their batches: all of a released network, or the few that may still try one.
   * True: more messages can come back at once.
   */
  async bringBack(now: number): Promise<boolean> {
    const returning = await this.#sql<Returning>('returning').all();
    for (const hold of returning.filter(({ state }) => state === 'probing'))
      await this.#bringBack(hold, { most: TRIALS[hold.cause].probes - hold.taken, now });
    const free = returning.find(({ state }) => state !== 'probing');
    if (free !== undefined) await this.#bringBack(free, { most: MOST_ROWS, now });
    return free !== undefined;
  }

  async #bringBack(
    { campaign, network }: Returning,
    { most, now }: { most: number; now: number },
  ): Promise<void> {
    type Span = { first: number | null; last: number };
    const next = await this.#sql<Span>('next_held').get(campaign, network, Math.max(0, most));
    const { first, last } = next as Span;
    if (first === null) return;
    await this.#sql('bring_back').run(campaign, network, first, last, now);
    await this.#sql('make_due').run(campaign, first, last, now);
    await this.#sql('brought_back').run(campaign, network, last);
  }

  async #hold(hold: Hold, now: number): Promise<NetworkStep[]> {
    const { campaign, network, cause, why } = hold;
    const wait = TRIALS[cause].firstWaitMs;
    const { changes } = await this.#sql('hold').run(campaign, network, cause, now, wait, why);
    if (changes === 0) return [];
    await this.#audit(hold, now, { state: 'held', cause, why });
    return [stepOf(hold, 'held')];
  }

  async #moveOn(hold: OpenHold, now: number, pause: Pause): Promise<NetworkStep[]> {
    const { campaign, network, state, pastMs } = hold;
    const verdict = await this.#verdict(hold);
    if (state === 'held' && verdict !== 'well') {
      if (pastMs < 0) return [];
      await this.#sql('try_again').run(campaign, network, now + PROBE_REPORTS_MS);
      return [stepOf(hold, 'probing')];
    }
    if (verdict === 'waiting') return [];
    if (verdict === 'ill') return [await this.#holdLonger(hold, now, pause)];
    await this.#sql('set_well').run(campaign, network, now);
    await this.#audit(hold, now, { state: 'well' });
    return [stepOf(hold, 'well')];
  }

  /** Also checked while the network is held again, because reports of the trying messages may come late. */
  async #verdict(hold: OpenHold): Promise<ReturnType<typeof judgeProbes>> {
    const { campaign, network, cause, state, tried, pastMs } = hold;
    if (tried === 0) return 'waiting';
    const seen = (await this.#sql<NetworkShare>('probed').get(campaign, network)) as NetworkShare;
    const { probes } = TRIALS[cause];
    return judgeProbes(seen, { probes, pastMs: state === 'held' ? -1 : pastMs });
  }

  async #holdLonger(hold: OpenHold, now: number, pause: Pause): Promise<NetworkStep> {
    const { campaign, network, alone, reopened } = hold;
    const waitMs = Math.min(hold.waitMs * 2, TRIALS[hold.cause].mostWaitMs);
    await this.#sql('hold_longer').run(campaign, network, now, waitMs);
    await this.#audit(hold, now, { state: 'held', waitMs });
    const asksForPerson = reopened + 1 >= TRIES_TO_PAUSE && alone === 1;
    const paused = asksForPerson && (await pause({ campaign, reason: 'errors', now, by: 'networks' }));
    return stepOf(hold, paused ? 'paused' : 'held');
  }

  async #audit({ campaign, network }: Hold, now: number, detail: object): Promise<void> {
    const order = { now, by: 'networks', verb: 'network', campaign };
    await this.#campaigns.audit({ ...order, detail: { network, ...detail } });
  }
}

function stepOf({ id, network, why }: Hold, step: NetworkStep['step']): NetworkStep {
  return { id, network, step, why: step === 'held' || step === 'paused' ? why : null };
}
