import { expect } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { NewReminder } from '../../src/ledger/contracts/schedules.ts';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { rejected, SETTINGS, type World } from './contract-world.ts';

export const DAY = 86_400_000;
let ids = 0;
const numberOf = (who: number) => String(254_700_000_000 + who);

/** A row of reminders: who is reminded in how many days. */
export interface Row {
  who: number;
  day: number;
  key?: string;
  skip?: NewReminder['skip'];
  name?: string;
  segments?: number;
  /** The other numbers of the person. */
  others?: number[];
}

/** How a campaign of reminders is staged. */
interface StageOptions {
  keyed?: boolean;
  series?: string[];
}

/** The moves that tests of reminders make. */
export function reminderWorld(world: () => World) {
  const dateOf = (day: number) => new Date(world().now + day * DAY).toISOString().slice(0, 10);

  function reminder(
    { who, day, key = '', skip, name = `name ${who}`, segments = 1, others }: Row,
    index: number,
  ): NewReminder {
    const mobile = numberOf(who);
    return {
      line: index + 2,
      mobile,
      key,
      occurrence: dateOf(day),
      fields: [mobile, name],
      segments,
      notBefore: world().now + day * DAY,
      notAfter: world().now + day * DAY + DAY / 2,
      skip: skip ?? null,
      ...(others === undefined ? {} : { others: others.map(numberOf) }),
    };
  }

  async function stage(rows: Row[], { keyed = false, series }: StageOptions = {}): Promise<Campaign> {
    ids += 1;
    const remind = {
      column: 'due',
      offset: '0d',
      atMinute: 540,
      format: null,
      keyed,
      ...(series && { series }),
    };
    const draft = await world().ledger.createDraft({
      id: `rent-${ids}`,
      name: 'rent',
      kind: 'transactional',
      sender: 'DUKA',
      template: 'Hi <<name>>',
      settings: { ...SETTINGS, remind },
      hashes: { job: 'j', template: 't', contacts: `r${ids}` },
      now: world().now,
    });
    expect(await world().ledger.stageReminders(draft.n, rows.map(reminder))).toEqual([]);
    return draft;
  }

  async function launch(rows: Row[], options: StageOptions = {}): Promise<Campaign> {
    const draft = await stage(rows, options);
    await world().ledger.arrangeReminders(draft.n, world().now);
    // A plan takes its time.
    world().now += 1;
    expect(await world().activate(draft, rows.length)).toEqual({ activated: true });
    return (await world().ledger.campaign(draft.n)) as Campaign;
  }

  async function upload(campaign: Campaign, rows: Row[], options: { keyed?: boolean; since?: number } = {}) {
    const { since = (await world().ledger.facts()).audited } = options;
    const draft = await stage(rows, options);
    const { hashes } = (await world().ledger.campaign(campaign.n)) as Campaign;
    const counts = { duplicate: 0, invalid: 0, suppressed: 0 };
    const asked = { draft: draft.n, campaign: campaign.n, before: hashes.contacts, since, counts };
    return world().ledger.beginUpload({ ...asked, estimatedMicro: null, ...world().operator });
  }

  async function correct(campaign: Campaign, rows: Row[], options: { keyed?: boolean } = {}) {
    expect(await upload(campaign, rows, options)).toBe(true);
    expect(await world().ledger.applyUploads(world().now)).toBe(true);
  }

  const rowsOf = async (campaign: Campaign) =>
    (
      await world().open.sql(
        "SELECT mobile, key, occurrence, state, coalesce(reason, '') AS reason FROM message WHERE campaign = ? ORDER BY seq",
        [campaign.n],
      )
    ).map(({ mobile, key, occurrence, state, reason }) =>
      [Number(mobile) - 254_700_000_000, key, occurrence, state, reason].join(' ').trim(),
    );

  /** Claims what is due, and has the service refuse it or take it. Answers how many went. */
  async function sendDue(
    campaign: Campaign,
    verdict: (campaign: Campaign, message: ClaimedMessage) => Outcome,
  ): Promise<number> {
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    await world().record(
      worker,
      messages.map((message) => verdict(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    return messages.length;
  }

  const refuse = (campaign: Campaign, message: ClaimedMessage) => rejected(campaign, message, true);

  /** A campaign of these, of which everything was claimed and refused by the service in a way that a retry helps. */
  async function refused(rows: Row[], options: { keyed?: boolean } = {}): Promise<Campaign> {
    const campaign = await launch(rows, options);
    await sendDue(campaign, refuse);
    return campaign;
  }

  return { dateOf, reminder, stage, launch, upload, correct, rowsOf, sendDue, refuse, refused };
}
