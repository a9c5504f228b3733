import { chance, pick } from '../faults/chance.ts';

/** See report-shapes.ts. */
const ODD_SHAPES = [
  'tilil_json',
  'form',
  'array',
  'results',
  'query',
  'number_id',
  'event',
  'getdlr',
] as const;

/** Ways in which the reports of one message can differ from a single plain one: in shape, in number or in order. */
export const ODD_KINDS = [
  ...ODD_SHAPES,
  'duplicate',
  'intermediate_first',
  'out_of_order',
  'conflict',
  'early',
] as const;
/** A way in which a report can be odd. */
export type OddKind = (typeof ODD_KINDS)[number];

/** How a report is written on the wire; `plain` is the shape closest to the document's own family. */
export type PayloadPaths = 'plain' | (typeof ODD_SHAPES)[number];

/** What a report says: `sent` is not final; `absent` is an undelivered that a later report may still overrule. */
export type ReportOutcome = 'sent' | 'delivered' | 'undelivered' | 'absent';

type FinalOutcome = Exclude<ReportOutcome, 'sent'>;

/** A report that will be posted. */
export interface PlannedReport {
  /** Milliseconds after the message was accepted. */
  afterMs: number;
  outcome: ReportOutcome;
  shape: PayloadPaths;
  /** The word of the plain shape; other shapes have their own spelling of it. */
  word: string;
}

/** All reports of one message. */
export interface ReportPlan {
  /** The first report is to be posted before the send is answered. */
  early: boolean;
  /** Empty: this message is never reported. */
  reports: PlannedReport[];
}

/** What the plan is drawn from; a part of the sandbox's settings. */
export interface ReportPlanning {
  seed: number;
  reportDelayMs: { min: number; max: number };
  reportMix: { delivered: number; undelivered: number; absent: number; optedOut: number; never: number };
  oddReportRate: number;
  oddReportKinds: readonly OddKind[];
}

const FAILED_WORDS = [
  'DeliveryImpossible',
  'DeliveryFailure',
  'UserNotExist',
  'SenderName Blacklisted',
] as const;
/** Of numbers that do not want this sender's messages. */
const OPTED_OUT_WORDS = ['SenderName Blacklisted', 'UserInBlacklist', 'SubscriberOptedOut'] as const;
const AGAIN_MS = 300;

/**
 * Plans the reports of one message. The outcome depends on the number (and on whether it had said STOP), the oddity on
 * number and serial; nothing else is drawn, so the plan can be made again at any time and need not be kept.
 */
export function planReports(
  planning: ReportPlanning,
  message: { serial: number; mobile: string; optedOut: boolean },
): ReportPlan {
  const end = message.optedOut ? 'optedOut' : endOf(planning, message.mobile);
  if (end === 'never') return { early: false, reports: [] };
  const key = `${message.serial}:${message.mobile}`;
  const last: PlannedReport = {
    afterMs: delayOf(planning, key),
    outcome: end === 'optedOut' ? 'undelivered' : end,
    shape: 'plain',
    word: wordOf(end, { seed: planning.seed, key: `word:${message.mobile}` }),
  };
  const odd = chance(planning.seed, `odd:${key}`) < planning.oddReportRate;
  if (!odd) return { early: false, reports: [last] };
  return makeOdd(last, pick(planning.oddReportKinds, { seed: planning.seed, key: `kind:${key}` }));
}

function makeOdd(last: PlannedReport, kind: OddKind): ReportPlan {
  if (isShape(kind)) return { early: false, reports: [{ ...last, shape: kind }] };
  return { early: kind === 'early', reports: ODD_ORDERS[kind](last) };
}

const ODD_ORDERS: Record<Exclude<OddKind, PayloadPaths>, (last: PlannedReport) => PlannedReport[]> = {
  duplicate: (last) => [last, last, later(last)],
  intermediate_first: (last) => [{ ...onTheWay(last), afterMs: last.afterMs / 2 }, last],
  out_of_order: (last) => [last, later(onTheWay(last))],
  conflict: (last) => [
    { ...last, outcome: 'absent', word: 'AbsentSubscriber' },
    { ...later(last), outcome: 'delivered', word: 'DeliveredToTerminal' },
  ],
  early: (last) => [last],
};

function isShape(kind: OddKind): kind is Extract<OddKind, PayloadPaths> {
  return (ODD_SHAPES as readonly string[]).includes(kind);
}

function later(report: PlannedReport): PlannedReport {
  return { ...report, afterMs: report.afterMs + AGAIN_MS };
}

function onTheWay(report: PlannedReport): PlannedReport {
  return { ...report, outcome: 'sent', word: 'SentToNetwork' };
}

function endOf(
  { reportMix: mix, seed }: ReportPlanning,
  mobile: string,
): FinalOutcome | 'optedOut' | 'never' {
  const draw = chance(seed, `outcome:${mobile}`);
  let share = 0;
  for (const end of ['delivered', 'undelivered', 'absent', 'optedOut'] as const) {
    share += mix[end];
    if (draw < share) return end;
  }
  return 'never';
}

/** Squared, so that most reports are quick and some take their time. */
function delayOf(planning: ReportPlanning, key: string): number {
  const { min, max } = planning.reportDelayMs;
  return min + (max - min) * chance(planning.seed, `delay:${key}`) ** 2;
}

function wordOf(end: FinalOutcome | 'optedOut', draw: { seed: number; key: string }): string {
  if (end === 'delivered') return 'DeliveredToTerminal';
  if (end === 'optedOut') return pick(OPTED_OUT_WORDS, draw);
  return end === 'absent' ? 'AbsentSubscriber' : pick(FAILED_WORDS, draw);
}
