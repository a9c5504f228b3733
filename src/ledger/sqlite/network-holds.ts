import type { DatabaseSync } from 'node:sqlite';
import type { PauseReason } from '../../domain/campaign.ts';
import {
  DELIVERY_PROBES,
  FIRST_DELIVERY_WAIT_MS,
  judgeProbes,
  MOST_DELIVERY_WAIT_MS,
  type NetworkShare,
  PROBE_REPORTS_MS,
  TRIES_TO_PAUSE,
} from '../../domain/pace/network-delivery.ts';
import type { NetworkStep, ToldNetwork } from '../sending.ts';
import type { CampaignRecords } from './campaigns.ts';
import { type IllNetwork, NetworkJudge } from './network-judge.ts';
import { prepareStatements, type Statements } from './statements.ts';

/** Networks that one campaign holds because they do not deliver: a breaker each, in the ledger. */

const STATEMENTS = [
  'open_holds',
  'try_again',
  'probed',
  'set_well',
  'hold_longer',
  'hold_first',
  'override',
  'of_claim',
  'keep',
  'lend',
  'forget_told',
  'tell',
] as const;

/** No wait lasts longer: one that does is of a clock that was set back. Held messages are brought back before. */
const MOST_AHEAD_MS = MOST_DELIVERY_WAIT_MS + PROBE_REPORTS_MS;

interface OpenHold {
  campaign: number;
  id: string;
  network: string;
  state: 'held' | 'probing';
  why: string;
  waitMs: number;
  reopened: number;
  /** Nothing else of the campaign went while it was held. */
  alone: number;
  /** A message was let through. */
  tried: number;
  /** Milliseconds since its wait, or that for the reports, was over; negative before. */
  pastMs: number;
}

interface ClaimHold {
  network: string;
  probing: number;
  /** Messages that try it already. */
  taken: number;
}

type Pause = (change: { campaign: number; reason: PauseReason; now: number; by: string }) => boolean;

/** A network that one campaign holds, as its claims see it. */
export interface CampaignHold {
  network: string;
  /** Messages that may still go, to try it. */
  readonly places: number;
  /** A message that is claimed takes a place. */
  lend(seq: number): void;
  /** A message is held, and found again when it may go. Answers when it is looked at if nothing brings it back before. */
  keep(seq: number): number;
}

/** Holds networks of campaigns, and lets them go. */
export class NetworkHolds {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #campaigns: CampaignRecords;
  readonly #judge: NetworkJudge;

  constructor(database: DatabaseSync, campaigns: CampaignRecords) {
    this.#sql = prepareStatements(database, new URL('./network-holds.sql', import.meta.url), STATEMENTS);
    this.#campaigns = campaigns;
    this.#judge = new NetworkJudge(database);
  }

  /** What a claim of the campaign holds back. */
  ofClaim(campaign: number, now: number): CampaignHold[] {
    const rows = this.#sql.of_claim.all(campaign) as unknown as ClaimHold[];
    return rows.map(({ network, probing, taken }) => {
      let places = probing === 1 ? DELIVERY_PROBES - taken : 0;
      return {
        network,
        get places() {
          return places;
        },
        keep: (seq) => {
          this.#sql.keep.run(campaign, network, seq);
          return now + MOST_AHEAD_MS;
        },
        lend: (seq) => {
          places -= 1;
          this.#sql.lend.run(campaign, network, seq, now + PROBE_REPORTS_MS);
        },
      };
    });
  }

  /** A person lets a campaign's networks go on. Answers whether any was held. */
  override({ campaign, now, by }: { campaign: number; now: number; by: string }): boolean {
    if (this.#sql.override.run(campaign).changes === 0) return false;
    this.#campaigns.audit({ now, by, verb: 'network', campaign, detail: { state: 'overridden' } });
    return true;
  }

  /** Moves on what is held and judges the others. Answers what changed. */
  watch(now: number, pause: Pause): NetworkStep[] {
    const open = this.#sql.open_holds.all(now, MOST_AHEAD_MS) as unknown as OpenHold[];
    const moved = open.flatMap((hold) => this.#moveOn(hold, now, pause));
    return [...moved, ...this.#judge.ill(now).flatMap((ill) => this.#found(ill, now, pause))];
  }

  /** What one worker holds because of what it saw while sending: for whoever looks. */
  tell({ worker, networks }: { worker: number; networks: readonly ToldNetwork[] }): void {
    this.#sql.forget_told.run(worker);
    for (const { network, since, until } of networks) this.#sql.tell.run(worker, network, since, until);
  }

  #found({ campaign, id, network, why, held }: IllNetwork, now: number, pause: Pause): NetworkStep[] {
    if (!held) {
      this.#sql.hold_first.run(campaign, network, now, FIRST_DELIVERY_WAIT_MS, why);
      this.#audit({ campaign, network }, now, { state: 'held', why });
      return [{ id, network, step: 'held', why }];
    }
    // Which of the waiting numbers are its is not known, so holding it is of no use.
    if (!pause({ campaign, reason: 'errors', now, by: 'networks' })) return [];
    return [{ id, network, step: 'paused', why }];
  }

  #moveOn(hold: OpenHold, now: number, pause: Pause): NetworkStep[] {
    const { campaign, network, id, state, pastMs } = hold;
    const verdict = this.#verdict(hold);
    if (state === 'held' && verdict !== 'well') {
      if (pastMs < 0) return [];
      this.#sql.try_again.run(campaign, network, now + PROBE_REPORTS_MS);
      return [{ id, network, step: 'probing', why: null }];
    }
    if (verdict === 'waiting') return [];
    if (verdict === 'ill') return [this.#holdLonger(hold, now, pause)];
    this.#sql.set_well.run(campaign, network, now);
    this.#audit(hold, now, { state: 'well' });
    return [{ id, network, step: 'well', why: null }];
  }

  /** Also while it is held again: the reports of those that tried it may come late. */
  #verdict({ campaign, network, state, tried, pastMs }: OpenHold): ReturnType<typeof judgeProbes> {
    if (tried === 0) return 'waiting';
    const seen = this.#sql.probed.get(campaign, network) as unknown as NetworkShare;
    return judgeProbes(seen, state === 'held' ? -1 : pastMs);
  }

  #holdLonger(hold: OpenHold, now: number, pause: Pause): NetworkStep {
    const { campaign, network, id, why, alone, reopened } = hold;
    const waitMs = Math.min(hold.waitMs * 2, MOST_DELIVERY_WAIT_MS);
    this.#sql.hold_longer.run(campaign, network, now, waitMs);
    this.#audit(hold, now, { state: 'held', waitMs });
    const tired = reopened + 1 >= TRIES_TO_PAUSE && alone === 1;
    const paused = tired && pause({ campaign, reason: 'errors', now, by: 'networks' });
    return { id, network, step: paused ? 'paused' : 'held', why };
  }

  #audit({ campaign, network }: { campaign: number; network: string }, now: number, detail: object): void {
    this.#campaigns.audit({ now, by: 'networks', verb: 'network', campaign, detail: { network, ...detail } });
  }
}
