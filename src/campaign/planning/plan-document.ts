import type { ExampleText } from '../../domain/plan-tally.ts';
import type { SheetFacts } from '../../contacts/workbook/workbook.ts';
import type { PlannedJob, PlannedReminders } from './plan-job.ts';
import type { GuardReason } from '../../domain/message-reason.ts';
import type { PlanBalance } from './plan-balance.ts';
import type { PlanFacts } from './plan-facts.ts';
import type { CampaignSettings } from '../../domain/campaign.ts';
import type { ReminderShown, ReminderTally } from '../../domain/reminder-tally.ts';
import { maskMobile, maskRendered, maskText } from '../../domain/text/mask.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';

/** `tuma plan --json`: money as decimal strings, times in ISO 8601 UTC, null for unknown. */
export type PlanDocument = ReturnType<typeof planDocument>;

/** The rendered messages of a plan: none (only a log reads them), masked, or with whole numbers. */
export type ExampleTexts = 'none' | 'masked' | 'whole';

/** Makes the document of a plan. */
export function planDocument(
  { planned, cost, costParts, forecast, start, balance, warnings, refused }: PlanFacts,
  texts: ExampleTexts,
) {
  const { draft, tally, rejects } = planned;
  return {
    campaign: { name: draft.name, kind: draft.kind, sender: draft.sender },
    contacts: contactsPart(planned.contacts),
    rows: { read: tally.read, planned: tally.planned, unchanged: tally.unchanged, ...tally.rejected },
    reasons: tally.reasons(),
    rejects,
    encoding: { ...tally.encodings },
    segments: tally.segments,
    lengths: [...tally.lengths]
      .toSorted(([a], [b]) => a - b)
      .map(([segments, messages]) => ({ segments, messages })),
    ucs2_characters: tally.ucs2Characters(),
    gsm_saves_segments: tally.gsmSaves,
    cost: costPart(draft.settings.currency, { cost, costParts }),
    balance: balancePart(balance, cost),
    // A launch is refused when it misses its start by more than `start_deadline`. A recurring job has firings
    // instead.
    start: {
      at: start.startAt === null ? null : iso(start.startAt),
      missed: start.missed,
      firings: start.firings.map(iso),
      rereads: start.rereads,
    },
    forecast: {
      rate_per_second: forecast.ratePerSecond,
      starts_at: iso(forecast.startsAt),
      finishes_at: forecast.finishesAt === null ? null : iso(forecast.finishesAt),
      window_closes_at: forecast.windowClosesAt === null ? null : iso(forecast.windowClosesAt),
      fits: forecast.fits,
      goes_on_at: forecast.goesOnAt === null ? null : iso(forecast.goesOnAt),
    },
    reminders: remindersPart(planned.reminders, texts),
    ...textsPart(tally, { texts, template: draft.template }),
    asked_there: therePart(planned),
    guards: guardsPart(draft.settings, tally),
    warnings,
    refused,
  };
}

/** The estimate, and what each country and network has of it. */
function costPart(currency: string, { cost, costParts }: Pick<PlanFacts, 'cost' | 'costParts'>) {
  return {
    currency,
    basis: cost.basis,
    lower: moneyOf(cost.lowerMicro),
    upper: moneyOf(cost.upperMicro),
    unknown_for: cost.unpriced,
    others_lower: moneyOf(cost.othersMicro?.lowerMicro ?? null),
    others_upper: moneyOf(cost.othersMicro?.upperMicro ?? null),
    /** `network` is null for the networks of a country without a part of their own. */
    parts: costParts.map(({ lowerMicro, upperMicro, ...part }) => ({
      ...part,
      lower: moneyOf(lowerMicro),
      upper: moneyOf(upperMicro),
    })),
  };
}

/** The balance now, less this alone, and less what else begins before it. */
function balancePart(balance: PlanBalance, cost: Pick<PlanFacts['cost'], 'lowerMicro' | 'upperMicro'>) {
  const { creditMicro, before, more, beforeMicro, unpriced, leftMicro } = balance;
  const after = (spent: MoneyMicro | null) =>
    moneyOf(creditMicro === null || spent === null ? null : creditMicro - spent);
  return {
    before: moneyOf(creditMicro),
    after_lower: after(cost.upperMicro),
    after_upper: after(cost.lowerMicro),
    /** What else the account sends until this begins; `at` null: now. The first ten by name. */
    planned_before: {
      cost: formatMoney(beforeMicro),
      campaigns: before.map(({ campaign, at, messages, costMicro }) => ({
        campaign: campaign.id,
        name: campaign.name,
        at: at === null ? null : iso(at),
        messages,
        cost: moneyOf(costMicro),
      })),
      more: more.count,
      /** Messages without a known price: they count as nothing. */
      unpriced,
    },
    /** After both, at least; below zero: so much is missing. */
    left: moneyOf(leftMicro),
  };
}

function moneyOf(amount: MoneyMicro | null): string | null {
  return amount === null ? null : formatMoney(amount);
}

/** How the contacts were read: the mobile's column with the reason, and the encoding with names to check it by. */
function contactsPart(contacts: PlannedJob['contacts']) {
  const { mobile, guess, mobiles, encoding, samples, headerLine, titleLines, workbook } = contacts;
  return {
    mobile_column: mobile,
    /** Of each column with numbers: the usable rows whose first usable number it holds. */
    mobiles,
    found_by: guess.by,
    numbers: guess.numbers,
    of: guess.of,
    encoding,
    samples,
    header_line: headerLine,
    title_lines: titleLines,
    sheet: workbook === null ? null : sheetPart(workbook),
  };
}

/** The sheet that was read. `hidden_rows` are those that a filter, or a person, hides. */
function sheetPart({ sheet, hidden, hiddenLeftOut, isFiltered, localeDates }: SheetFacts) {
  return {
    name: sheet.name,
    /** Among the sheets that a person sees; 0: it is a hidden one. */
    position: sheet.position,
    of: sheet.of,
    hidden_rows: hidden,
    hidden_by_filter: isFiltered,
    hidden_left_out: hiddenLeftOut,
    /** Cells whose order of day and month is that of the computer: the day comes first here. */
    locale_dates: localeDates,
  };
}

/** The first texts, the longest, and the one of the line that a person asked for. */
function textsPart(
  { examples, longest, asked }: PlannedJob['tally'],
  { texts, template }: { texts: ExampleTexts; template: string },
) {
  if (texts === 'none') return { examples: [], longest: null, asked: null };
  const shown = (example: ExampleText): ExampleText =>
    texts === 'whole' ? example : { ...example, text: maskRendered(example.text, template) };
  return {
    examples: examples.map(shown),
    longest: longest === null ? null : shown(longest),
    asked: asked === null ? null : shown(asked),
  };
}

/** The rules that hold messages back or skip them; null: not in use. */
function guardsPart({ canary, guard }: CampaignSettings, { planned, guarded }: PlannedJob['tally']) {
  const seconds = (ms: number) => ms / 1000;
  const { sameTextMs = null, most = null, perMs = 0 } = guard ?? {};
  const now = (reason: GuardReason) => guarded.get(reason) ?? 0;
  return {
    canary:
      canary === undefined || planned <= canary.first
        ? null
        : { first: canary.first, wait_seconds: seconds(canary.waitMs), delivered: canary.delivered },
    same_text_seconds: sameTextMs === null ? null : seconds(sameTextMs),
    most: most === null ? null : { messages: most, per_seconds: seconds(perMs) },
    /** Messages that they would skip as things are. */
    same_text_now: now('same text recently'),
    most_now: now('frequency cap'),
  };
}

/** The reminders of each day of the zone. `past` and `already_reminded` are skipped. */
function remindersPart(reminders: PlannedReminders | null, texts: ExampleTexts) {
  if (reminders === null) return null;
  const { tally, upload, each } = reminders;
  return {
    /** The reminders of each row: more than one in a series. */
    each,
    calendar: tally.calendar(),
    past: tally.past,
    already_reminded: tally.remindedBefore,
    upload: upload === null ? null : { campaign: upload.campaign.id, ...upload.changes },
    /** The first of a correction that are new, moved or canceled. */
    shown: shownPart(tally.shown, texts),
  };
}

function shownPart(shown: ReminderTally['shown'], texts: ExampleTexts) {
  if (texts === 'none') return { new: [], moved: [], canceled: [] };
  const part = (reminders: ReminderShown[]) =>
    reminders.map(({ line, mobile, key, dueAt, wasAt }) => ({
      line,
      mobile: texts === 'whole' ? mobile : maskMobile(mobile),
      key: texts === 'whole' ? key : maskText(key),
      due_at: iso(dueAt),
      was_at: wasAt === null ? null : iso(wasAt),
    }));
  return { new: part(shown.new), moved: part(shown.moved), canceled: part(shown.canceled) };
}

/** The messages of the open campaign that the row of the asked line is already. */
function therePart({ reminders, tally }: PlannedJob) {
  const campaign = reminders?.upload?.campaign.id ?? null;
  if (campaign === null) return [];
  return tally.there.map(({ state, dueAt }) => ({ campaign, state, due_at: iso(dueAt) }));
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
