import { expect, it } from 'vitest';
import { affordable } from '../../../src/ledger/decide/affordable.ts';
import { GuardDecision } from '../../../src/ledger/decide/guards.ts';
import {
  type ClaimHold,
  type PageFacts,
  Selection,
  type SelectionLimits,
  type WaitingRow,
} from '../../../src/ledger/decide/selection.ts';

const PRICE = 10;
const NOTHING: PageFacts = { optedOut: null, guarded: null, networks: null };

function reservation(credit: number) {
  const money = {
    spent: 0,
    reserved: 0,
    in_flight: 0,
    campaign_spent: 0,
    campaign_reserved: 0,
    under_way: 0,
  };
  return affordable({ ...money, budget: null }, { priceMicro: PRICE, ceilingMicro: credit });
}

function selection(limits: Partial<SelectionLimits> = {}): Selection {
  const holds = new Map<string, ClaimHold>();
  const wide = { messages: 10, slots: 10, bySegment: false, reservation: reservation(1e9), guard: null };
  return new Selection({ ...wide, holds, ...limits });
}

/** Messages from 1 on, to numbers of their own. */
function page(count: number, segments = 1): WaitingRow[] {
  return Array.from({ length: count }, (_, index) => row(index + 1, `m${index + 1}`, segments));
}

function row(seq: number, mobile: string, segments = 1): WaitingRow {
  return [seq, mobile, '[]', segments, 1, 0, null];
}

const taken = ({ rows }: Selection) => rows.map(([seq]) => seq);

it('takes messages in order while there is room', () => {
  const chosen = selection({ messages: 3 });
  chosen.take(page(5), NOTHING);
  expect(taken(chosen)).toEqual([1, 2, 3]);
  expect(chosen.room).toBe(0);
});

it('a message takes a slot for each segment where segments count, and the last may take more than are free', () => {
  const chosen = selection({ slots: 5, bySegment: true });
  chosen.take(page(5, 3), NOTHING);
  expect([taken(chosen), chosen.slotsTaken]).toEqual([[1, 2], 6]);
});

it('the first message that cannot be paid ends the claim', () => {
  const chosen = selection({ reservation: reservation(2 * PRICE + 1) });
  chosen.take(page(5), NOTHING);
  expect([taken(chosen), chosen.stop, chosen.room]).toEqual([[1, 2], 'balance', 0]);
});

it('whoever opted out is skipped, and uses no room', () => {
  const chosen = selection({ messages: 2 });
  chosen.take(page(4), { ...NOTHING, optedOut: [true, false, true, false] });
  expect(taken(chosen)).toEqual([2, 4]);
  expect(chosen.skipped).toEqual([
    { seq: 1, reason: 'opted out' },
    { seq: 3, reason: 'opted out' },
  ]);
});

it('of a cap, what the claim itself takes counts, over its pages', () => {
  const guard = new GuardDecision(2);
  const chosen = selection({ guard });
  const known = { gotSameText: false, got: 0 };
  chosen.take([row(1, 'one'), row(2, 'one'), row(3, 'two')], { ...NOTHING, guarded: [known, known, known] });
  chosen.take([row(4, 'one'), row(5, 'two'), row(6, 'two')], {
    ...NOTHING,
    guarded: [known, { ...known, gotSameText: true }, known],
  });
  expect(taken(chosen)).toEqual([1, 2, 3, 6]);
  expect(chosen.skipped).toEqual([
    { seq: 4, reason: 'frequency cap' },
    { seq: 5, reason: 'same text recently' },
  ]);
});

it('of a held network go as many as may try it, and the others wait', () => {
  const hold: ClaimHold = { network: 'B', places: 1, probes: [7] };
  const chosen = selection({ holds: new Map([['B', hold]]) });
  chosen.take(page(4), { ...NOTHING, networks: ['A', 'B', 'B', null] });
  expect(taken(chosen)).toEqual([1, 2, 4]);
  expect(chosen.held).toEqual([{ seq: 3, network: 'B' }]);
  expect([...chosen.tried]).toEqual([{ network: 'B', places: 0, probes: [7, 2] }]);
});

it('a probe that was put back and is claimed again stands once among the probes', () => {
  const hold: ClaimHold = { network: 'B', places: 1, probes: [1] };
  const chosen = selection({ holds: new Map([['B', hold]]) });
  chosen.take(page(1), { ...NOTHING, networks: ['B'] });
  expect(hold.probes).toEqual([1]);
});

it('what cannot be paid tries no network and counts for no cap', () => {
  const hold: ClaimHold = { network: 'B', places: 1, probes: [] };
  const guard = new GuardDecision(1);
  const limits = { holds: new Map([['B', hold]]), guard, reservation: reservation(0) };
  const chosen = selection(limits);
  const known = { gotSameText: false, got: 0 };
  chosen.take(page(1), { ...NOTHING, networks: ['B'], guarded: [known] });
  expect([taken(chosen), hold.places, guard.reason('m1', known)]).toEqual([[], 1, null]);
});
