import { factReads } from '../../src/ledger/operations/reading/campaigns.ts';
import { checkReads } from '../../src/ledger/operations/reading/checks.ts';
import type { SimDatabase } from './sim-database.ts';
import { counterChecks } from '../../src/ledger/operations/reading/checks-counters.ts';
import type { Violation } from '../../src/ledger/contracts/reader.ts';
import type { CampaignPlan } from './life.ts';
import type { Accepted } from './truth.ts';
import type { World } from './world.ts';
import { flatMapInOrder } from '../../src/ledger/in-order.ts';

/* Holds the ledger against the truth, after the last process has ended: the invariants of the design, by name. */

/** What a run may have done. */
export interface Limits {
  plans: CampaignPlan[];
  claimLimit: number;
  /** Kills, suspensions and clock jumps: each may leave a claim limit of messages uncertain. */
  interruptions: number;
  /** Those of them that were kills of a worker that noted what is on the wire: each leaves at most its requests. */
  kills?: number;
  /** Requests in flight of a process. */
  concurrency?: number;
  /** Messages a second of the account. */
  rate?: number | null;
  /** Others spend from the same account, so that the provider may refuse for credit. */
  othersSpend?: boolean;
}

interface Row {
  campaign: number;
  name: string;
  mobile: string;
  state: string;
  actor: string;
  basis: string | null;
  messageid: string | null;
  cost: number | null;
  delivery: string | null;
  conflict: number;
}

/** A jump of the wall clock that no lease outlasts. */
export const RATED_JUMP_MS = 3_600_000;

const ROWS = `
  SELECT m.campaign, c.name, m.mobile, m.state, m.actor, m.basis, m.messageid, m.cost, m.delivery, m.conflict
  FROM message AS m JOIN campaign AS c ON c.n = m.campaign WHERE c.state <> 'draft'`;
const REAPED = "SELECT count(*) AS count FROM message WHERE state = 'uncertain' AND actor = 'reaper'";
const UNSENT = new Set(['queued', 'skipped', 'canceled', 'rejected']);

/** Everything that is wrong; nothing is what must be. */
export async function problemsOf(world: World, limits: Limits): Promise<string[]> {
  const rows = (await world.look(ROWS)) as unknown as Row[];
  return [
    ...world.truth.problems,
    ...(await counts(world, rows, limits)),
    ...rows.flatMap((row) => claims(world, row)),
    ...guarded(world, limits),
    ...(await uncertainty(world, rows, limits)),
    ...(await webhooks(world, rows)),
    ...money(world, rows, limits),
    ...tooFast(world, limits),
    ...(await verified(world.database)),
  ];
}

/** I2, I13: every plan was launched once, every row is there, in one state that is an end. */
async function counts(world: World, rows: Row[], { plans }: Limits): Promise<string[]> {
  const campaigns = await world.look("SELECT name FROM campaign WHERE state <> 'draft'");
  const open = rows.filter(({ state }) => state === 'queued' || state === 'sending');
  return [
    ...(campaigns.length === plans.length
      ? []
      : [`I2 ${campaigns.length} campaigns of ${plans.length} plans`]),
    ...plans.flatMap(({ name, mobiles }) => {
      const own = rows.filter((row) => row.name === name).length;
      return own === mobiles.length ? [] : [`I2 ${name} has ${own} of ${mobiles.length} messages`];
    }),
    ...open.map((row) => `I13 ${row.name} …${row.mobile.slice(-3)} is ${row.state} for ever`),
  ];
}

/** I1 and I3, of one message. */
function claims({ truth }: World, row: Row): string[] {
  const accepted = truth.acceptedOf(row.mobile).filter(({ text }) => text.endsWith(row.name));
  const who = `${row.name} …${row.mobile.slice(-3)}`;
  const problems = [];
  if (accepted.length > 1) problems.push(`I1 ${who} was accepted ${accepted.length} times`);
  if (row.state === 'sent' && accepted.length === 0) problems.push(`I3 ${who} is sent and was not accepted`);
  if (UNSENT.has(row.state) && accepted.length > 0)
    problems.push(`I3 ${who} is ${row.state} and was accepted`);
  const named = row.state === 'sent' && row.messageid !== null;
  if (named && !accepted.some(({ messageId }) => messageId === row.messageid))
    problems.push(`I3 ${who} is sent as ${row.messageid}, which is another message's`);
  return problems;
}

/** Where every campaign guards the same text no number gets it from two of them. */
function guarded({ truth }: World, { plans }: Limits): string[] {
  if (plans.some(({ settings }) => settings.guard === undefined)) return [];
  const mobiles = new Set(truth.accepted.map(({ mobile }) => mobile));
  return [...mobiles]
    .filter((mobile) => new Set(truth.acceptedOf(mobile).map(({ text }) => text)).size > 1)
    .map((mobile) => `the same text went to …${mobile.slice(-3)} from two campaigns`);
}

/** I5. */
async function uncertainty(
  world: World,
  rows: Row[],
  { claimLimit, interruptions, kills = 0, concurrency = claimLimit }: Limits,
): Promise<string[]> {
  const { truth, wire } = world;
  const noted = wire.failures > 0 ? 0 : kills;
  const most = noted * concurrency + (interruptions - noted) * claimLimit;
  const [{ count: reaped = 0 } = {}] = await world.look(REAPED);
  const told = rows.filter(({ state, actor }) => state === 'uncertain' && actor === 'worker').length;
  return [
    ...(Number(reaped) > most
      ? [`I5 ${Number(reaped)} uncertain after ${interruptions} kills, at most ${most} may be`]
      : []),
    ...(told > truth.lostAnswers ? [`I5 ${told} uncertain after ${truth.lostAnswers} lost answers`] : []),
  ];
}

/** I6, I7, I14: what was acknowledged is there, was read, and says of each message what its reports say together. */
async function webhooks(world: World, rows: Row[]): Promise<string[]> {
  const { truth } = world;
  const bodies = await world.look('SELECT body FROM webhook');
  const stored = new Set(bodies.map(({ body }) => new TextDecoder().decode(body as Uint8Array)));
  const [unread] = await world.look('SELECT count(*) AS count FROM webhook WHERE kind IS NULL');
  return [
    ...truth.acknowledged
      .filter((body) => !stored.has(body))
      .map((body) => `I6 acknowledged and gone: ${body}`),
    ...(Number(unread?.['count']) === 0 ? [] : ['I14 webhooks were never read']),
    ...rows.flatMap((row) => delivery(row, truth.accepted)),
  ];
}

function delivery(row: Row, accepted: Accepted[]): string[] {
  if (row.state !== 'sent' || row.messageid === null) return [];
  const same = accepted.filter(({ messageId }) => messageId === row.messageid);
  // An id that the provider gave twice proves nothing of either.
  if (same.length !== 1) return [];
  const words = new Set(same[0]?.reported);
  const is = words.has('delivered') ? 'delivered' : words.has('undelivered') ? 'undelivered' : 'pending';
  const conflict = words.has('delivered') && words.has('undelivered') ? 1 : 0;
  if (row.delivery === is && row.conflict === conflict) return [];
  const said = [...words].join(' and ') || 'nothing';
  return [
    `I7 …${row.mobile.slice(-3)} is ${row.delivery} (conflict ${row.conflict}), its reports say ${said}`,
  ];
}

/** I10: nothing was tried that could not be paid, and the ledger's charges are what the provider took. */
function money({ truth, provider }: World, rows: Row[], { othersSpend = false }: Limits): string[] {
  const priced = rows.filter(
    ({ state, cost, messageid }) => state === 'sent' && cost !== null && messageid !== null,
  );
  const wrong = priced.filter(
    ({ messageid, cost }) =>
      !truth.accepted.some((each) => each.messageId === messageid && each.costMicro === cost),
  );
  return [
    ...wrong.map(({ mobile, cost }) => `I10 …${mobile.slice(-3)} is said to have cost ${cost}`),
    ...(provider.creditMicro < 0 ? ['I10 the credit is below zero'] : []),
    ...(truth.creditRefusals > 0 && !othersSpend ? [`I10 ${truth.creditRefusals} refusals for credit`] : []),
  ];
}

/** I11: no window of a second holds more requests than the rate allows. */
function tooFast({ truth }: World, { rate = null }: Limits): string[] {
  if (rate === null) return [];
  const times = truth.requests.map(({ at }) => at).sort((left, right) => left - right);
  const most = Math.floor(rate);
  const at = times.find((time, index) => (times[index + most] ?? Infinity) - time < 1_000);
  return at === undefined ? [] : [`I11 more than ${most} requests in the second from ${Math.round(at)} ms`];
}

/** What `tuma verify` checks. */
async function verified({ look, engine }: SimDatabase): Promise<string[]> {
  const reads = { ...factReads(look), ...checkReads(look, engine), ...counterChecks(look) };
  const span = { firstSeq: 1, lastSeq: Number.MAX_SAFE_INTEGER };
  const found: Violation[] = [
    ...(await reads.checkLedger()),
    ...(await reads.checkSums(null)),
    ...(await flatMapInOrder(await reads.campaigns(null), async ({ n: campaign, id }) => {
      return [
        ...(await reads.checkPage({ ...span, campaign, id })),
        ...(await reads.checkCounters({ campaign, id })),
      ];
    })),
  ];
  return found.map(({ invariant, row, detail }) => `verify ${invariant}: ${row} ${detail}`);
}
