import { existsSync } from 'node:fs';
import { keepMedia, noteMeaning, type CustomersPast } from '../customers/customers.ts';
import type { Faults } from '../faults/faults.ts';
import { readAmount } from '../money.ts';
import type { Settings } from '../options.ts';
import { planReports } from '../reports/report-plan.ts';
import { planReply } from '../customers/reply-plan.ts';
import type { ReportedMessage } from '../reports/report-poster.ts';
import { truthEntries } from './truth.ts';
import type { AcceptedEntry, InboundEntry, ReportEntry, TruthEntry } from './truth-entry.ts';
import type { SendCounts } from '../api/send-desk.ts';

/** A message with missing reports, and its finished steps. */
interface UnreportedMessage {
  message: ReportedMessage;
  done: Set<number>;
}

/** The state in a truth log. Money in millionths. */
export interface Restored {
  /** False: the log is new. */
  begun: boolean;
  balanceMicro: number;
  chargedMicro: number;
  /** Null before the first message. */
  lastSerial: number | null;
  firstSerial: number;
  counts: SendCounts;
  /** By serial. */
  unreported: Map<number, UnreportedMessage>;
  customers: CustomersPast;
}

/** Reads the state back from a truth log, so that a killed sandbox continues where it ended. */
export async function restore(settings: Settings, faults: Faults): Promise<Restored> {
  const restored: Restored = {
    begun: false,
    balanceMicro: 0,
    chargedMicro: 0,
    lastSerial: null,
    firstSerial: 0,
    counts: { received: 0, accepted: 0, refused: 0, ignored: 0 },
    unreported: new Map(),
    customers: { stopped: new Set(), media: new Map(), unanswered: new Map() },
  };
  if (!existsSync(settings.truthFile)) return restored;
  for await (const entry of truthEntries(settings.truthFile)) replay(restored, { entry, settings, faults });
  return restored;
}

function replay(restored: Restored, step: { entry: TruthEntry; settings: Settings; faults: Faults }): void {
  const { entry, settings, faults } = step;
  switch (entry.event) {
    case 'start':
      restored.begun = true;
      restored.balanceMicro = micro(entry.balance);
      restored.firstSerial = entry.firstSerial;
      break;
    case 'accepted':
      faults.remember(entry);
      countRequest(restored, entry.event);
      replayAccepted(restored, { entry, settings });
      break;
    case 'refused':
    case 'ignored':
      if (entry.mobile !== null) faults.remember({ ...entry, mobile: entry.mobile });
      countRequest(restored, entry.event);
      break;
    case 'topup':
      restored.balanceMicro += micro(entry.amount);
      break;
    case 'report':
      replayReport(restored, { entry, settings });
      break;
    case 'inbound':
      replayInbound(restored.customers, entry);
      break;
    case 'redirect_followed':
      break;
  }
}

function countRequest(restored: Restored, end: 'accepted' | 'refused' | 'ignored'): void {
  restored.counts.received += 1;
  restored.counts[end] += 1;
}

function replayAccepted(
  restored: Restored,
  { entry, settings }: { entry: AcceptedEntry; settings: Settings },
): void {
  const cost = micro(entry.cost);
  restored.balanceMicro -= cost;
  restored.chargedMicro += cost;
  restored.lastSerial = entry.serial;
  const { serial, idSerial, mobile, shortcode, at: acceptedAt } = entry;
  const message = { serial, idSerial, mobile, acceptedAt, optedOut: entry.optedOut === true };
  if (planReports(settings, message).reports.length === 0) return;
  restored.unreported.set(serial, { message, done: new Set() });
  const answered = { ...message, shortcode };
  if (settings.replyRate > 0 && planReply(settings, { message: answered, rate: settings.replyRate }) !== null)
    restored.customers.unanswered.set(serial, answered);
}

function replayInbound({ stopped, media, unanswered }: CustomersPast, entry: InboundEntry): void {
  noteMeaning(stopped, entry);
  if (entry.media !== null) keepMedia(media, { id: entry.id, media: entry.media });
  if (entry.serial !== null) unanswered.delete(entry.serial);
}

function replayReport(
  restored: Restored,
  { entry, settings }: { entry: ReportEntry; settings: Settings },
): void {
  const open = restored.unreported.get(entry.serial);
  if (open === undefined) return;
  open.done.add(entry.step);
  const planned = planReports(settings, open.message).reports;
  if (planned.every((_, step) => open.done.has(step))) restored.unreported.delete(entry.serial);
}

function micro(text: string): number {
  return readAmount(text) ?? Number.NaN;
}
