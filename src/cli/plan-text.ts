import { printable } from '../domain/printable.ts';
import { grouped } from '../reports/report-words.ts';
import type { PlanDocument } from './plan-document.ts';

const MOST_REASONS = 12;
const MOST_CHARACTERS = 8;
/** Width of the words on the left. */
const LABEL = 11;

export interface PlanStyle {
  /** Time zone of the times shown. */
  zone: string;
  /** Colours a part of the text where it goes to a terminal. */
  paint: (style: 'bold' | 'yellow', text: string) => string;
}

/** A plan for people: what will be sent, what not and why, what it costs, when it ends. */
export function planText(plan: PlanDocument, style: PlanStyle): string {
  const { name, kind, sender } = plan.campaign;
  const blocks = [[`${style.paint('bold', name)} (${kind}, from ${sender})`], rowLines(plan)];
  if (plan.rows.planned > 0) blocks.push(...sendingBlocks(plan, style));
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function sendingBlocks(plan: PlanDocument, style: PlanStyle): string[][] {
  return [
    segmentLines(plan),
    costLines(plan),
    [line('time', timeWords(plan, style))],
    // The text is a stranger's: a cell of the CSV must not colour the screen either.
    plan.examples.map(
      ({ line: at, text, segments }) => `  line ${at} (${parts(segments)}): ${printable(text)}`,
    ),
    plan.warnings.map((warning) => style.paint('yellow', `! ${printable(warning)}`)),
  ];
}

/** One line for the question before a launch. */
export function launchSummary(plan: PlanDocument): string {
  const { cost, balance, segments, rows } = plan;
  const price =
    cost.upper === null ? 'cost unknown' : `about ${cost.currency} ${range(cost.lower, cost.upper)}`;
  const credit = balance.before === null ? '' : `; balance ${grouped(balance.before)}`;
  return `Send ${count(rows.planned)} SMS (${parts(segments.planned)}, ${price}${credit})`;
}

function rowLines({ rows, reasons, rejects }: PlanDocument): string[] {
  const rest = rows.read - rows.planned;
  const lines = [
    line(
      'rows',
      `${count(rows.read)} read, ${count(rows.planned)} to send${rest > 0 ? `, ${count(rest)} not` : ''}`,
    ),
  ];
  for (const { kind, reason, count: times, lines: at } of reasons.slice(0, MOST_REASONS)) {
    const words = kind === 'invalid' || kind === 'suppressed' ? reason : kind;
    lines.push(`  ${String(times).padStart(LABEL - 4)}  ${words} (${linesAt(at, times)})`);
  }
  if (reasons.length > MOST_REASONS) lines.push(`  and ${reasons.length - MOST_REASONS} more reasons`);
  if (rejects !== null) lines.push(line('', `all of them with their reasons: ${rejects.path}`));
  return lines;
}

function segmentLines(plan: PlanDocument): string[] {
  const { segments, encoding, ucs2_characters: characters, gsm_saves_segments: saves } = plan;
  const lines = [line('segments', `${count(segments.planned)}: ${lengths(segments)}`)];
  if (encoding.ucs2 > 0)
    lines.push(
      line(
        '',
        `${encoding.ucs2 === 1 ? '1 message needs' : `${count(encoding.ucs2)} messages need`} UCS-2 (70 characters a segment instead of 160), because of:`,
      ),
    );
  for (const { character, replacement, count: times, lines: at } of characters.slice(0, MOST_CHARACTERS)) {
    const instead = replacement === null ? 'no replacement' : `--gsm writes "${replacement}"`;
    lines.push(`  ${String(times).padStart(LABEL - 4)}  ${character}  ${instead} (${linesAt(at, times)})`);
  }
  if (saves > 0) lines.push(line('', `--gsm would save ${parts(saves)}`));
  return lines;
}

/** "4 messages of one, 1 of two": lengths that no message has are left out. */
function lengths({ one, two, more }: PlanDocument['segments']): string {
  const all: [number, string][] = [
    [one, 'one'],
    [two, 'two'],
    [more, 'more'],
  ];
  return all
    .filter(([messages]) => messages > 0)
    .map(([messages, length], index) =>
      index > 0
        ? `${count(messages)} of ${length}`
        : `${messages === 1 ? '1 message' : `${count(messages)} messages`} of ${length}`,
    )
    .join(', ');
}

function costLines({ cost, balance }: PlanDocument): string[] {
  const words =
    cost.upper === null
      ? 'cost unknown: the first 10 messages are sent alone to learn it (or set TUMA_PRICE)'
      : `${cost.currency} ${range(cost.lower, cost.upper)} (price ${cost.basis})`;
  const lines = [line('cost', words)];
  if (balance.before !== null) {
    const after =
      balance.after_lower === null ? '' : `, then ${range(balance.after_lower, balance.after_upper)}`;
    lines.push(line('balance', `${cost.currency} ${grouped(balance.before)}${after}`));
  }
  return lines;
}

function timeWords({ forecast }: PlanDocument, { zone, paint }: PlanStyle): string {
  const at = (iso: string) => clockTime(iso, zone);
  if (forecast.finishes_at === null) return 'as fast as the service answers (no rate is set)';
  const closes =
    forecast.window_closes_at === null ? '' : `; the window closes ${at(forecast.window_closes_at)}`;
  const late = forecast.fits === false ? paint('yellow', ': the rest waits for the next day') : '';
  return `at ${forecast.rate_per_second}/s it ends about ${at(forecast.finishes_at)}${closes}${late}`;
}

function clockTime(iso: string, zone: string): string {
  return new Date(iso).toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
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

function parts(segments: number): string {
  return segments === 1 ? '1 segment' : `${count(segments)} segments`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
