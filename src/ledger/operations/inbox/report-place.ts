import { namesAnother, namesWhole } from '../../../domain/numbers/mobile-text.ts';
import type { Member, MessageIds } from '../planning/message-ids.ts';

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

/** `ambiguous`: a message has the report's id, and yet the report is of none. */
export type Place =
  | { joined: 'joined'; message: Member }
  /** `isStranger`: no message of the family is known that went to the report's mobile. */
  | { joined: 'ambiguous' | 'waiting'; message: null; isStranger: boolean };

/** Finds a report's place among the ids in the index. */
export async function placeOf(report: PlacedReport, ids: MessageIds): Promise<Place> {
  const candidates = await candidatesOf(report, ids);
  return (await exactPlace(report, { candidates, ids })) ?? loosePlace(report, candidates);
}

/** Null: the report is of no message with exactly its id. */
async function exactPlace(
  { messageId, mobile, receivedAt }: PlacedReport,
  { candidates: { exact, to }, ids }: { candidates: Candidates; ids: MessageIds },
): Promise<Place | null> {
  const named = to.filter((member) => member.messageId === messageId);
  const [onlyNamed, otherNamed] = named;
  if (onlyNamed !== undefined)
    return onlyOne(otherNamed === undefined ? named : begunBy(named, receivedAt), AMBIGUOUS);
  const [sole, second] = exact;
  if (second !== undefined && !namesWhole(mobile))
    return onlyOne(await ids.exact(messageId, 2, receivedAt), AMBIGUOUS);
  const isOf = sole !== undefined && second === undefined && !namesAnother(sole.mobile, mobile);
  return isOf ? { joined: 'joined', message: sole } : null;
}

function loosePlace({ mobile, receivedAt }: PlacedReport, { exact, to }: Candidates): Place {
  const isStranger = mobile !== null && to.length === 0 && !exact.some(isPurged);
  const joined = exact.length === 0 ? 'waiting' : 'ambiguous';
  return onlyOne(begunBy(to, receivedAt), { joined, message: null, isStranger });
}

function begunBy(members: Member[], receivedAt: number): Member[] {
  return members.filter(({ begunAt }) => begunAt <= receivedAt);
}

const AMBIGUOUS = { joined: 'ambiguous', message: null, isStranger: false } as const;

function onlyOne([one, other]: Member[], otherwise: Place): Place {
  return one === undefined || other !== undefined ? otherwise : { joined: 'joined', message: one };
}

interface Candidates {
  /** Two at most with exactly the report's id. */
  exact: Member[];
  /** Those of the family to its mobile. */
  to: Member[];
}

async function candidatesOf({ messageId, mobile }: PlacedReport, ids: MessageIds): Promise<Candidates> {
  const few = await ids.family(messageId, 2);
  if (few.length === 2)
    return {
      exact: await ids.exact(messageId, 2),
      to: mobile === null ? [] : await ids.familyTo(messageId, mobile),
    };
  return {
    exact: few.filter((member) => member.messageId === messageId),
    to: few.filter((member) => member.mobile === mobile),
  };
}

/** Nobody knows any more to whom it went. */
function isPurged({ mobile, seq }: Member): boolean {
  return mobile === `purged-${seq}`;
}
