import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type CanaryCandidate, type CanaryRule, pickByNetwork } from '../../domain/pace/canary.ts';
import type { CanaryStep } from '../sending.ts';
import type { CampaignRecords } from './campaigns.ts';
import { canaryProgress } from './canary-counts.ts';
import type { DraftIdentities } from './identities.ts';
import { prepareStatements, type Statements } from './statements.ts';

/**
 * The gate of the canary. Its messages are the first batch of the campaign; while the gate is shut no other batch is
 * leased, so nothing else has to know of it. It is judged in one transaction with the pause or the going on.
 */

const STATEMENTS = ['add', 'copy', 'undecided', 'decide', 'override', 'sample', 'take_out', 'put'] as const;

/** Messages of a plan whose networks are looked up: enough for a picture of a million. */
const MOST_SAMPLED = 2_000;

type Change = { campaign: number; now: number; by: string };

/** Holds a campaign's rest back until its canary is judged. */
export class CanaryGate {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #progress: ReturnType<typeof canaryProgress>;
  readonly #campaigns: CampaignRecords;
  readonly #identities: DraftIdentities;

  constructor(
    database: DatabaseSync,
    { campaigns, identities }: { campaigns: CampaignRecords; identities: DraftIdentities },
  ) {
    this.#sql = prepareStatements(database, new URL('./canary.sql', import.meta.url), STATEMENTS);
    this.#sql.take_out.setReturnArrays(true);
    this.#progress = canaryProgress(database);
    this.#campaigns = campaigns;
    this.#identities = identities;
  }

  /** Of a campaign that is being activated: chooses its first messages, where there are others to hold back. */
  open({ campaign, rule, planned }: { campaign: number; rule: CanaryRule; planned: number }): void {
    const { first, waitMs, delivered } = rule;
    if (planned <= first) return;
    this.#mix({ campaign, first, planned });
    this.#sql.add.run(campaign, first, waitMs, delivered);
  }

  /** A firing has the canary of its schedule. */
  copy(schedule: number, campaign: number): void {
    this.#sql.copy.run(schedule, campaign);
  }

  /** A person lets a campaign go on that its canary holds. */
  override(campaign: number, now: number): void {
    this.#sql.override.run(campaign, now);
  }

  /** Judges every canary that is open. Answers those campaigns that pause, go on, or are held for a person now. */
  watch(
    now: number,
    verbs: { pause: (change: Change & { reason: 'canary' }) => boolean; goOn: (change: Change) => boolean },
  ): CanaryStep[] {
    const undecided = this.#sql.undecided.all() as unknown as {
      campaign: number;
      id: string;
      state: string;
    }[];
    return undecided.flatMap(({ campaign, id, state }): CanaryStep[] => {
      const progress = this.#progress(campaign, now);
      if (progress === null) return [];
      const { verdict, why } = progress;
      const change = { campaign, now, by: 'canary' };
      if (verdict === 'sending') {
        // One of its messages was put back while the others were waited for.
        if (state === 'paused') verbs.goOn(change);
        return [];
      }
      if (verdict !== 'waiting') this.#decide({ campaign, now, verdict, why });
      if (verdict === 'passed') verbs.goOn(change);
      else if (!verbs.pause({ ...change, reason: 'canary' }) && verdict === 'waiting') return [];
      return [{ id, step: verdict as CanaryStep['step'], why }];
    });
  }

  #decide(given: { campaign: number; now: number; verdict: string; why: string | null }): void {
    const { campaign, now, verdict, why } = given;
    this.#sql.decide.run(campaign, verdict, why, now);
    const detail = { verdict, why, ...this.#progress(campaign, now)?.counts };
    this.#campaigns.audit({ now, by: 'canary', verb: 'canary', campaign, detail });
  }

  /** Brings messages of every network to the front: each changes places with one of the first. */
  #mix({ campaign, first, planned }: { campaign: number; first: number; planned: number }): void {
    const step = Math.max(1, Math.floor(planned / Math.max(MOST_SAMPLED, first)));
    const sample = this.#sql.sample.all(campaign, step, planned) as unknown as CanaryCandidate[];
    // Where no network is known the first rows are as good as any.
    if (sample.every(({ network }) => network === null)) return;
    const picked = pickByNetwork(sample, first);
    const staying = new Set(picked.filter((seq) => seq <= first));
    const places = Array.from({ length: first }, (_, index) => index + 1).filter((seq) => !staying.has(seq));
    for (const seq of picked.filter((other) => other > first))
      this.#swap(campaign, seq, places.shift() ?? seq);
  }

  #swap(campaign: number, seq: number, other: number): void {
    const take = (from: number) =>
      this.#sql.take_out.all(campaign, from)[0] as unknown as SQLOutputValue[] | undefined;
    const [one, two] = [take(seq), take(other)];
    if (one === undefined || two === undefined) throw new Error(`a message of ${campaign} is missing`);
    this.#sql.put.run(campaign, seq, ...two);
    this.#sql.put.run(campaign, other, ...one);
    for (const at of [seq, other]) this.#identities.putSpan(campaign, [at, at]);
  }
}
