import { namesAnother, namesWhole } from '../../domain/numbers/mobile-text.ts';
import type { MessagePlace } from '../contracts/finding.ts';

/**
 * The message that a report belongs to. The place depends only on the report and on the messages of its id's
 * family, never on the order in which they became known:
 * 1. Of the only message with exactly the report's id, unless the report names another mobile.
 * 2. Of several such messages: the one to the named mobile. If the report names no whole mobile, all of them
 *    count. Of several, the only one that had begun when the report came.
 * 3. Else of the only message of the family that went to exactly the named mobile and had begun by then.
 */

/** The facts of a report that decide its place. Time in milliseconds. */
export interface PlacedReport {
  messageId: string;
  mobile: string | null;
  receivedAt: number;
}

/** A message with an id of the provider. */
export interface Member extends MessagePlace {
  messageId: string;
  mobile: string;
  /** The time of its claim in milliseconds; 0: nobody knows it. */
  begunAt: number;
}

/** The messages of the id's family that matter to a report. */
export interface Candidates {
  /** Two at most with exactly the report's id. */
  exact: readonly Member[];
  /** Two at most of those with exactly its id that had begun when it came; needed only behind two of `exact`. */
  begun: readonly Member[];
  /** All of the family to its mobile. */
  to: readonly Member[];
}

/** `ambiguous`: a message has the report's id, and yet the report is of none. */
export type Place =
  | { joined: 'joined'; message: Member }
  /** `isStranger`: no message of the family is known that went to the report's mobile. */
  | { joined: 'ambiguous' | 'waiting'; message: null; isStranger: boolean };

/** The candidates where the family has one message at most. */
export function candidatesOf({ messageId, mobile }: PlacedReport, sole: Member | undefined): Candidates {
  const family = sole === undefined ? [] : [sole];
  return {
    exact: family.filter((member) => member.messageId === messageId),
    begun: [],
    to: family.filter((member) => member.mobile === mobile),
  };
}

/** A report's place among its candidates. Pure. */
export function placeOf(report: PlacedReport, candidates: Candidates): Place {
  return exactPlace(report, candidates) ?? loosePlace(report, candidates);
}

/** Null: the report is of no message with exactly its id. */
function exactPlace(
  { messageId, mobile, receivedAt }: PlacedReport,
  { exact, begun, to }: Candidates,
): Place | null {
  const named = to.filter((member) => member.messageId === messageId);
  const [onlyNamed, otherNamed] = named;
  if (onlyNamed !== undefined)
    return onlyOne(otherNamed === undefined ? named : begunBy(named, receivedAt), AMBIGUOUS);
  const [sole, second] = exact;
  if (second !== undefined && !namesWhole(mobile)) return onlyOne(begun, AMBIGUOUS);
  const isOf = sole !== undefined && second === undefined && !namesAnother(sole.mobile, mobile);
  return isOf ? { joined: 'joined', message: sole } : null;
}

function loosePlace({ mobile, receivedAt }: PlacedReport, { exact, to }: Candidates): Place {
  const isStranger = mobile !== null && to.length === 0 && !exact.some(isPurged);
  const joined = exact.length === 0 ? 'waiting' : 'ambiguous';
  return onlyOne(begunBy(to, receivedAt), { joined, message: null, isStranger });
}

function begunBy(members: readonly Member[], receivedAt: number): Member[] {
  return members.filter(({ begunAt }) => begunAt <= receivedAt);
}

const AMBIGUOUS = { joined: 'ambiguous', message: null, isStranger: false } as const;

function onlyOne([one, other]: readonly Member[], otherwise: Place): Place {
  return one === undefined || other !== undefined ? otherwise : { joined: 'joined', message: one };
}

/** Nobody knows any more to whom it went. */
function isPurged({ mobile, seq }: Member): boolean {
  return mobile === `purged-${seq}`;
}
