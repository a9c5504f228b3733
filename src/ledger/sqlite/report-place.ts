import { namesAnother, namesWhole } from '../../domain/numbers/mobile-text.ts';
import type { Member, MessageIds } from './message-ids.ts';

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
export function placeOf(report: PlacedReport, ids: MessageIds): Place {
  const { messageId, mobile, receivedAt } = report;
  const { exact, to } = candidatesOf(report, ids);
  const hadBegun = ({ begunAt }: Member) => begunAt <= receivedAt;
  const named = to.filter((member) => member.messageId === messageId);
  if (named.length > 0) return onlyOne(named.length === 1 ? named : named.filter(hadBegun), AMBIGUOUS);
  const [sole, second] = exact;
  if (sole !== undefined && second === undefined && !namesAnother(sole.mobile, mobile))
    return { joined: 'joined', message: sole };
  if (second !== undefined && !namesWhole(mobile))
    return onlyOne(ids.exact(messageId, 2, receivedAt), AMBIGUOUS);
  const isStranger = mobile !== null && to.length === 0 && !exact.some(isPurged);
  const joined = sole === undefined ? 'waiting' : 'ambiguous';
  return onlyOne(to.filter(hadBegun), { joined, message: null, isStranger });
}

const AMBIGUOUS = { joined: 'ambiguous', message: null, isStranger: false } as const;

function onlyOne([one, other]: Member[], otherwise: Place): Place {
  return one === undefined || other !== undefined ? otherwise : { joined: 'joined', message: one };
}

/** Two at most with exactly the report's id, and those of the family to its mobile. */
function candidatesOf({ messageId, mobile }: PlacedReport, ids: MessageIds) {
  const few = ids.family(messageId, 2);
  if (few.length === 2)
    return { exact: ids.exact(messageId, 2), to: mobile === null ? [] : ids.familyTo(messageId, mobile) };
  return {
    exact: few.filter((member) => member.messageId === messageId),
    to: few.filter((member) => member.mobile === mobile),
  };
}

/** Nobody knows any more to whom it went. */
function isPurged({ mobile, seq }: Member): boolean {
  return mobile === `purged-${seq}`;
}
