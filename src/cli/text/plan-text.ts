import { rateWords } from '../../domain/pace/rate.ts';
import { formatDuration, localDay, localWords, momentWords } from '../../domain/time/time-words.ts';
import { printable } from '../../domain/text/printable.ts';
import { reasonText } from '../../domain/row-reason.ts';
import { percent } from '../../reports/report-words.ts';
import { counted, grouped, whole } from '../../domain/money.ts';
import type { PlanDocument } from '../../campaign/planning/plan-document.ts';
import { warningWords } from './plan-warnings.ts';

const MOST_REASONS = 12;
const MOST_CHARACTERS = 8;
/** Days of the calendar that are shown one by one. */
const MOST_DAYS = 31;
/** "Wed 30 Sept 2026". */
const LONGEST_DAY = 16;
/** Headers that nobody needs to check. */
const PLAIN_NAMES = new Set(['mobile', 'phone']);
/** Width of the words on the left. */
const LABEL = 11;

/** How a plan is shown. */
export interface PlanStyle {
  /** Time zone of the times shown. */
  zone: string;
  /** Milliseconds UTC, for what is to come. */
  now: number;
  /** Colours a part of the text where it goes to a terminal. */
  paint: (style: 'bold' | 'yellow', text: string) => string;
}

/** A plan for people: messages to send, skipped rows with reasons, cost, and end. */
export function planText(plan: PlanDocument, style: PlanStyle): string {
  const { name, kind, sender } = plan.campaign;
  const title = `${style.paint('bold', name)} (${kind}, from ${sender})`;
  const blocks = [[title], [...contactsLines(plan), ...rowLines(plan)]];
  blocks.push(reminderLines(plan, style));
  if (plan.rows.planned > 0 || toSend(plan) > 0) blocks.push(...sendingBlocks(plan, style));
  // Also where nothing is to be sent: contacts that only cancel reminders may be refused.
  blocks.push(plan.warnings.map((warning) => style.paint('yellow', `! ${printable(warningWords(warning))}`)));
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function sendingBlocks(plan: PlanDocument, style: PlanStyle): string[][] {
  return [
    segmentLines(plan),
    costLines(plan),
    startLines(plan, style),
    plan.reminders === null ? [line('time', timeWords(plan, style))] : [],
    guardLines(plan),
    exampleLines(plan),
  ];
}

/** The first texts, the longest, and the one that was asked for, each once. */
function exampleLines({ examples, longest, asked }: PlanDocument): string[] {
  // Several reminders of a row may have one text.
  const shown = examples.filter(({ text }, at) => examples.findIndex((each) => each.text === text) === at);
  for (const one of [longest, asked])
    if (one !== null && !shown.some(({ line: at }) => at === one.line)) shown.push(one);
  // The text is a stranger's: a cell of the contacts must not colour the screen either.
  return shown.map(({ line: at, text, segments }) => {
    const most = at === longest?.line && shown.length > 1 ? ', the longest' : '';
    return `  line ${at} (${counted(segments, 'segment')}${most}): ${printable(text)}`;
  });
}

/** One line for the question before a launch. */
export function launchSummary(plan: PlanDocument): string {
  const { cost, balance, segments } = plan;
  const price =
    cost.upper === null ? 'cost unknown' : `about ${cost.currency} ${range(cost.lower, cost.upper)}`;
  const credit = balance.before === null ? '' : `; balance ${grouped(balance.before)}`;
  return `Send ${whole(toSend(plan))} SMS (${counted(segments.planned, 'segment')}, ${price}${credit})`;
}

/** Late reminders and ones sent before are skipped; reminders that an upload brings back are sent. */
function toSend({ rows, reminders }: PlanDocument): number {
  if (reminders === null) return rows.planned;
  const { past, already_reminded: reminded, upload } = reminders;
  const { already_reminded: too = 0, brought_back: back = 0 } = upload ?? {};
  return rows.planned - past.count - reminded - too + back;
}

/** The guesses about the contacts, so that a person can correct them. */
function contactsLines({ contacts }: PlanDocument): string[] {
  const { mobile_column: mobile, found_by: by, numbers, of, mobiles, encoding, samples } = contacts;
  const { title_lines: titles } = contacts;
  const cells = `${whole(numbers)} of ${counted(of, 'cell')} ${of === 1 ? 'is a number' : 'are numbers'}`;
  const lines = sheetLines(contacts.sheet);
  if (titles > 0)
    lines.push(line('header', `line ${contacts.header_line}, below ${counted(titles, 'line')} of titles`));
  const rows = mobiles.map((each) => `${printable(each.column)}: ${counted(each.rows, 'row')}`);
  if (rows.length > 1) lines.push(line('mobile', `${rows.join(', ')} (the first usable number of each)`));
  if (by === 'cells' || (by === 'header' && !PLAIN_NAMES.has(mobile.toLowerCase())))
    lines.push(line('mobile', `${printable(mobile)} (${by === 'header' ? 'by its name; ' : ''}${cells})`));
  if (encoding !== 'utf-8') {
    const names = samples.length === 0 ? '' : `; check these names: ${samples.join(', ')}`;
    lines.push(line('encoding', `${encoding}, because the file is not UTF-8${names}`));
  }
  return lines;
}

/** Which sheet it is where there are several, and what nobody sees in it. */
function sheetLines(sheet: PlanDocument['contacts']['sheet']): string[] {
  if (sheet === null) return [];
  const { name, position, of, hidden_rows: hidden, locale_dates: dates } = sheet;
  const lines: string[] = [];
  if (position === 0) lines.push(line('sheet', `"${printable(name)}", a hidden one`));
  else if (of > 1) lines.push(line('sheet', `"${printable(name)}", ${position} of ${of}`));
  if (hidden > 0) lines.push(...hiddenLines(sheet, lines.length === 0 ? 'sheet' : ''));
  if (dates > 0)
    lines.push(line('dates', `${counted(dates, 'date')} as the day, the month and the year: 27/11/2026`));
  return lines;
}

function hiddenLines(sheet: NonNullable<PlanDocument['contacts']['sheet']>, label: string): string[] {
  const { hidden_rows: hidden, hidden_by_filter: isFiltered, hidden_left_out: isLeftOut } = sheet;
  const [are, they, them] = hidden === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them'];
  const what = `${counted(hidden, 'row')} ${are} hidden${isFiltered ? ' by a filter' : ''}; ${they}`;
  if (isLeftOut) return [line(label, `${what} left out`)];
  return [line(label, `${what} included`), line('', `(rows: visible in the job file leaves ${them} out)`)];
}

function rowLines(plan: PlanDocument): string[] {
  const { rows, rejects } = plan;
  const reasons = reasonWords(plan);
  const going = toSend(plan);
  const rest = rows.read - going - rows.unchanged + (plan.reminders?.upload?.brought_back ?? 0);
  const lines = [
    line('rows', `${readWords(plan)}, ${whole(going)} to send${rest > 0 ? `, ${whole(rest)} not` : ''}`),
  ];
  for (const { words, count: times, lines: at } of reasons.slice(0, MOST_REASONS))
    lines.push(
      `  ${String(times).padStart(LABEL - 4)}  ${words}${at.length === 0 ? '' : ` (${linesAt(at, times)})`}`,
    );
  if (reasons.length > MOST_REASONS)
    lines.push(`  and ${counted(reasons.length - MOST_REASONS, 'more reason')}`);
  if (rejects !== null) {
    const which = rejects.rows === rest ? 'all' : whole(rejects.rows);
    lines.push(line('', `${which} of them with their reasons: ${rejects.path}`));
  }
  return lines;
}

/** "9 read", or of a series "9 reminders of 3 rows". */
function readWords({ rows, reminders }: PlanDocument): string {
  const each = reminders?.each ?? 1;
  if (each === 1) return `${whole(rows.read)} read`;
  return `${counted(rows.read, 'reminder')} of ${counted(rows.read / each, 'row')} read`;
}

/** Why rows are not sent to: rejected ones, and reminders that are too late or were sent before. They add up. */
function reasonWords({
  reasons,
  reminders,
}: PlanDocument): { words: string; count: number; lines: number[] }[] {
  const rejected = reasons.map(({ kind, reason, count, lines }) => ({
    words: kind === 'invalid' || kind === 'suppressed' ? reasonText(reason) : kind,
    count,
    lines,
  }));
  if (reminders === null) return rejected;
  const { past, already_reminded: reminded, upload } = reminders;
  const before = reminded + (upload?.already_reminded ?? 0);
  const skipped = [
    { words: 'too late: the time of the reminder is past', ...past },
    { words: 'reminded already', count: before, lines: [] },
  ];
  return [...rejected, ...skipped.filter(({ count }) => count > 0)];
}

function segmentLines(plan: PlanDocument): string[] {
  const { segments, encoding, ucs2_characters: characters, gsm_saves_segments: saves } = plan;
  const lines = [line('segments', `${whole(segments.planned)}: ${lengthWords(plan)}`)];
  if (encoding.ucs2 > 0)
    lines.push(
      line(
        '',
        `${encoding.ucs2 === 1 ? '1 message needs' : `${whole(encoding.ucs2)} messages need`} UCS-2 (70 characters a segment instead of 160), because of:`,
      ),
    );
  for (const { character, replacement, count: times, lines: at } of characters.slice(0, MOST_CHARACTERS)) {
    const instead = replacement === null ? 'no replacement' : `--gsm writes "${replacement}"`;
    lines.push(
      `  ${String(times).padStart(LABEL - 4)}  ${visible(character)}  ${instead} (${linesAt(at, times)})`,
    );
  }
  if (saves > 0) lines.push(line('', `--gsm (\`gsm: true\`) would save ${counted(saves, 'segment')}`));
  return lines;
}

/** An invisible character, such as one that turns a text's direction, is named by its number. */
function visible(character: string): string {
  if (!/^[\p{C}\p{Z}]$/u.test(character)) return character;
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** "4 messages of 1 segment, 1 of 5". */
function lengthWords({ lengths }: PlanDocument): string {
  return lengths
    .map(({ segments, messages }, index) =>
      index === 0
        ? `${counted(messages, 'message')} of ${counted(segments, 'segment')}`
        : `${whole(messages)} of ${segments}`,
    )
    .join(', ');
}

function costLines({ cost, balance }: PlanDocument): string[] {
  const lines = [line('cost', costWords(cost))];
  if (balance.before !== null) {
    const after =
      balance.after_lower === null ? '' : `, then ${range(balance.after_lower, balance.after_upper)}`;
    lines.push(line('balance', `${cost.currency} ${grouped(balance.before)}${after}`));
  }
  lines.push(...beforeLines(balance, cost.currency));
  return lines;
}

/** What else is planned until this begins, and what is left after both. */
function beforeLines({ planned_before: before, left }: PlanDocument['balance'], currency: string): string[] {
  const { campaigns, cost, unpriced } = before;
  const lines: string[] = [];
  if (campaigns.length > 0) {
    const rest =
      left === null
        ? ''
        : left.startsWith('-')
          ? `: ${grouped(left.slice(1))} will be missing`
          : `: at least ${grouped(left)} will be left`;
    lines.push(line('', `${currency} ${grouped(cost)} are planned for other messages before it${rest}`));
  }
  if (unpriced > 0) lines.push(line('', `${counted(unpriced, 'planned message')} before it of unknown cost`));
  return lines;
}

function costWords({ currency, basis, lower, upper, ...abroad }: PlanDocument['cost']): string {
  const { unknown_for: unknown, others_lower: from, others_upper: to } = abroad;
  if (upper !== null) return `${currency} ${range(lower, upper)} (price ${basis})`;
  if (unknown.length === 0 || to === null)
    return 'cost unknown: the first 10 messages are sent alone to learn it (or set TUMA_PRICE)';
  const where = unknown.map(({ country, messages }) => `${counted(messages, 'message')} to ${country}`);
  return `cost unknown for ${where.join(', ')} (set TUMA_PRICE=…,${unknown[0]?.country}=…); ${currency} ${range(from, to)} for the others`;
}

function guardLines({ guards, rows }: PlanDocument): string[] {
  const { canary, same_text_seconds: sameText, most, same_text_now: same, most_now: capped } = guards;
  const of = `${whole(rows.planned)} ${rows.planned === 1 ? 'person' : 'people'}`;
  const span = (seconds: number) => formatDuration(seconds * 1000);
  const words: string[] = [];
  if (canary !== null)
    words.push(
      `${canary.first === 1 ? 'the first message goes' : `the first ${whole(canary.first)} go`} alone; the rest when ${percent(canary.delivered)} of the reported are delivered, after ${span(canary.wait_seconds)} at most`,
    );
  if (sameText !== null)
    words.push(
      `skips anyone who got this same text from another campaign in the last ${span(sameText)} (relaunches of these files excepted)`,
    );
  if (same > 0 && sameText !== null)
    words.push(
      `${whole(same)} of ${of} had this text in the last ${span(sameText)}, and would be skipped now`,
    );
  if (most !== null)
    words.push(`skips who had ${whole(most.messages)} promotional messages within ${span(most.per_seconds)}`);
  if (capped > 0) words.push(`${whole(capped)} of ${of} have had as many, and would be skipped now`);
  return words.map((said, index) => line(index === 0 ? 'guards' : '', said));
}

/** When it begins, by the clock of the zone and of the world; of a recurring job the next times. */
function startLines({ start }: PlanDocument, { zone, now }: PlanStyle): string[] {
  const when = (iso: string) => momentWords(Date.parse(iso), { zone, now });
  const first = start.at === null ? [] : [line('start', when(start.at))];
  const fires = start.firings.map((at, index) => line(index === 0 ? 'fires' : '', when(at)));
  const each = start.rereads
    ? 'reads its files anew, and sends to all of them'
    : 'sends all of it, and costs that anew';
  if (fires.length > 0) fires.push(line('', `and so on: each firing ${each}`));
  return [...first, ...fires];
}

function timeWords(plan: PlanDocument, { zone, now, paint }: PlanStyle): string {
  const { forecast, start } = plan;
  const at = (iso: string) => localWords(Date.parse(iso), zone);
  const { rate_per_second: rate, finishes_at: end, window_closes_at: closes, goes_on_at: goesOn } = forecast;
  const hours = closes === null ? '' : `; the window closes ${at(closes)}`;
  if (rate === null) {
    // The line of the start says it, where that is within the hours.
    const said = forecast.starts_at === start.at || Date.parse(forecast.starts_at) <= now;
    return `${said ? '' : `from ${at(forecast.starts_at)} `}as fast as the service answers (no rate is set)${hours}`;
  }
  if (end === null) return `at ${rateWords(rate)} it takes more than half a year${hours}`;
  if (goesOn === null) return `at ${rateWords(rate)} it ends about ${at(end)}${hours} (${zone})`;
  const late = paint('yellow', `; goes on ${at(goesOn)} and ends about ${at(end)}`);
  return `at ${rateWords(rate)} it does not end the same day${hours}${late} (${zone})`;
}

/** The reminders day by day, those that are too late, and what a corrected upload changes. */
function reminderLines({ reminders, rows, asked_there: there }: PlanDocument, style: PlanStyle): string[] {
  if (reminders === null) return [];
  const { calendar, upload } = reminders;
  const lines = [...uploadLines(upload), ...changeLines(reminders, style), ...thereLines(there, style)];
  const shown = calendar.slice(0, MOST_DAYS);
  for (const [index, day] of shown.entries())
    lines.push(line(index === 0 ? 'calendar' : '', `${weekday(day.date)}  ${whole(day.count).padStart(9)}`));
  const more = calendar.slice(MOST_DAYS);
  const later = more.reduce((sum, day) => sum + day.count, 0);
  if (more.length > 0) lines.push(line('', `and ${whole(later)} on ${more.length} later days`));
  if (calendar.length === 0 && rows.planned === 0) lines.push(line('calendar', 'nothing is left to go'));
  return lines;
}

function uploadLines(upload: NonNullable<PlanDocument['reminders']>['upload']): string[] {
  if (upload === null) return [];
  const { campaign, moved, canceled, missing, already_reminded: reminded } = upload;
  const parts = [
    `${whole(upload.new)} new`,
    `${whole(upload.unchanged)} unchanged${unchangedWords(upload)}`,
    `${whole(moved)} moved`,
    `${whole(canceled)} canceled`,
  ];
  if (reminded > 0) parts.push(`${whole(reminded)} reminded already`);
  if (upload.stays_canceled > 0) parts.push(`${whole(upload.stays_canceled)} stay canceled by hand`);
  const lines = [line('corrects', `${campaign}: ${parts.join(', ')}`)];
  if (missing > 0)
    lines.push(line('', `${whole(missing)} of ${whole(upload.open)} open ones have no usable row here`));
  return lines;
}

type Reminders = NonNullable<PlanDocument['reminders']>;

function unchangedWords({ brought_back: back, retimed }: NonNullable<Reminders['upload']>): string {
  const words = [
    ...(back > 0 ? [`${whole(back)} brought back`] : []),
    ...(retimed > 0 ? [`${whole(retimed)} at another time`] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** The first who are new, moved and canceled. */
function changeLines({ shown, upload }: Reminders, style: PlanStyle): string[] {
  if (upload === null) return [];
  const counts = { new: upload.new, moved: upload.moved + upload.retimed, canceled: upload.canceled };
  const lines: string[] = [];
  for (const change of ['new', 'moved', 'canceled'] as const) {
    for (const reminder of shown[change])
      lines.push(`  ${change.padEnd(LABEL - 2)}${changeWords(reminder, style)}`);
    const more = counts[change] - shown[change].length;
    if (more > 0 && shown[change].length > 0)
      lines.push(line('', `and ${whole(more)} more ${change} (tuma plan … --out FILE lists all)`));
  }
  return lines;
}

function changeWords(reminder: Reminders['shown']['new'][number], { zone }: PlanStyle): string {
  const { line: at, mobile, key, due_at: due, was_at: was } = reminder;
  // Without the weekday most of these fit into a line.
  const when = (iso: string) => localWords(Date.parse(iso), zone).replace(/^\w+ /, '');
  const who = key === '' ? mobile : `${mobile} ${printable(key)}`;
  return `line ${at}: ${who}, ${when(due)}${was === null ? '' : `, was ${when(was)}`}`;
}

/** What the asked row is in the open campaign already. */
function thereLines(there: PlanDocument['asked_there'], { zone }: PlanStyle): string[] {
  return there.map(({ campaign, state, due_at: due }) =>
    line('the line', `${state} in campaign ${campaign} for ${localWords(Date.parse(due), zone)}`),
  );
}

/** "Fri 27 Nov 2026": a date has no zone any more. */
function weekday(date: string): string {
  return localDay(Date.parse(`${date}T12:00Z`), 'UTC').padEnd(LONGEST_DAY);
}

function line(label: string, words: string): string {
  return `${label.padEnd(LABEL)}${words}`;
}

function linesAt(lines: number[], times: number): string {
  return `line ${lines.join(', ')}${times > lines.length ? ', …' : ''}`;
}

function range(lower: string | null, upper: string | null): string {
  const [from, to] = [lower, upper].map((amount) => (amount === null ? null : grouped(amount)));
  return from === to || from === null ? `${to}` : `${from} to ${to}`;
}
