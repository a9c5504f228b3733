import { TumaError } from '../../domain/errors.ts';
import { counted } from '../../domain/money.ts';
import type { ErasedCounts, ErasureWaits, PersonTraces } from '../../ledger/contracts/erase.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';

/** The number of a person, and who orders its removal. */
export interface ErasureOrder {
  ledger: Ledger;
  /** International digits. */
  mobile: string;
  now: number;
  by: string;
  /** Gets the part that is done, up to 1. */
  done?: (part: number) => void;
}

/** True: something of the person must be canceled, waited for or decided first. */
export function isWaiting(waits: ErasureWaits): boolean {
  return Object.values(waits).some((waiting) => waiting > 0);
}

/** Throws `person_waits`, and says what helps. */
export function refuseWaiting({ waits, campaigns }: PersonTraces): void {
  if (!isWaiting(waits)) return;
  const [campaign, ...others] = campaigns;
  const isThere = waits.uncertain > 0 && campaign !== undefined && others.length === 0;
  throw new TumaError('person_waits', {
    message: 'Something of this person waits. Nothing was removed.',
    hint: waitsWords(waits).join(' '),
    // Of several campaigns it is not known which one has it.
    advice: isThere ? { action: 'find_uncertain', campaign } : null,
  });
}

/** What a person is shown and confirms: another number is asked again. */
export function erasureCount({ messages, replies }: PersonTraces): number {
  return messages + replies;
}

/**
 * Removes one person's data from the ledger at any age: number, keys, fields, evidence, replies, and the raw webhooks
 * about nobody else. Sums, costs, states and message ids stay, and so do opt-outs. Throws `person_waits` while something
 * waits. After an interruption the same order, given again, removes the rest.
 */
export async function erasePerson({ ledger, done, ...order }: ErasureOrder): Promise<ErasedCounts> {
  const erased = await ledger.erasePerson(order, done);
  if (erased !== null) return erased;
  throw new TumaError('person_waits', {
    message: 'Something of this person waits. Nothing was removed.',
    hint: 'Cancel or decide it first.',
  });
}

/** An order that old was broken off, or takes very long: what two processes remove goes once. */
const BROKEN_OFF_MS = 3_600_000;

/** Removes the rest of orders that were broken off, so that the number of nobody stays in its order. */
export async function finishErasures({
  ledger,
  now,
}: Pick<ErasureOrder, 'now'> & { ledger: Pick<Ledger, 'finishErasures'> }): Promise<void> {
  await ledger.finishErasures({ now, before: now - BROKEN_OFF_MS });
}

/** What waits, and what helps, in words. Empty: nothing waits. */
export function waitsWords(waits: ErasureWaits): string[] {
  const { queued, sending, uncertain, maybeStops, changing } = waits;
  const each = [
    [queued, `${counted(queued, 'message')} still to send: cancel for this person first.`],
    [sending, `${counted(sending, 'message')} being sent: wait a moment.`],
    [uncertain, `${counted(uncertain, 'uncertain message')}: decide first.`],
    [maybeStops, `${counted(maybeStops, 'answer')} that may be a STOP: decide first.`],
    [changing, `${counted(changing, 'campaign')} that just gets contacts: wait a moment.`],
  ] as const;
  return each.flatMap(([count, words]) => (count > 0 ? [words] : []));
}
