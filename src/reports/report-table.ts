import type { CampaignReport } from './campaign-report.ts';
import { printableLine } from '../domain/text/printable.ts';
import { decisionWords } from './open-answers.ts';
import {
  duration,
  HIDDEN_BY_TOP_UP,
  nextSteps,
  type Outcome,
  percent,
  priced,
  type TableOptions,
  title,
  whatHappened,
  unexplainedWords,
} from './report-words.ts';
import { counted, grouped, whole } from '../domain/money.ts';

const LABEL = 20;
const MOST_REASONS = 8;
const BAR = 24;
const LEAST_FOR_BAR = 80;

/** The report as a page for a terminal: what came of the messages first, then the money, then what to do. */
export function reportTable(report: CampaignReport, options: TableOptions): string {
  const sections = [
    [...title(report, options)],
    outcomeLines(report, options),
    reasonLines(report, options),
    costLines(report, options),
    fileLines(report, options),
    speedLines(report, options),
    [...report.decisions.map(decisionWords), ...nextSteps(report)].map((step) => options.paint('cyan', step)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function outcomeLines(report: CampaignReport, { paint, width }: TableOptions): string[] {
  const planned = report.rows.planned;
  const heading = `${paint('bold', 'Messages')}  ${paint('dim', `${whole(planned)} planned`)}`;
  const rows = whatHappened(report).filter(({ count }) => count > 0);
  return [
    heading,
    ...rows.map((row) => outcomeLine(row, { planned, paint, bar: width >= LEAST_FOR_BAR })),
    ...takenBackLines(report, paint),
  ];
}

/** No outcome of its own: each of them is counted by what became of it later. */
function takenBackLines({ messages }: CampaignReport, paint: TableOptions['paint']): string[] {
  if (messages.taken_back === 0) return [];
  const note = 'claimed by a killed worker and never sent; counted above by what became of them';
  return [`  ${'Taken back'.padEnd(LABEL)}${whole(messages.taken_back).padStart(11)}  ${paint('dim', note)}`];
}

function outcomeLine(
  { label, count, style, note }: Outcome,
  { planned, paint, bar }: { planned: number; paint: TableOptions['paint']; bar: boolean },
): string {
  const share = planned === 0 ? 0 : count / planned;
  const filled = Math.max(1, Math.round(share * BAR));
  const drawn = bar ? `  ${paint(style, '█'.repeat(filled))}${paint('dim', '░'.repeat(BAR - filled))}` : '';
  const text = `  ${label.padEnd(LABEL)}${whole(count).padStart(11)}  ${percent(share).padStart(7)}${drawn}`;
  return note === undefined ? text : `${text}  ${paint('dim', note)}`;
}

function reasonLines({ reasons }: CampaignReport, { paint }: TableOptions): string[] {
  if (reasons.length === 0) return [];
  const shown = reasons.slice(0, MOST_REASONS).map(({ state, reason, count, retry_helps }) => {
    const what = state === 'sent' ? 'not delivered' : state;
    const help = retry_helps ? paint('cyan', '  a retry can help') : '';
    return `  ${what.padEnd(LABEL)}${whole(count).padStart(11)}  ${printableLine(reason)}${help}`;
  });
  const more = reasons.length - shown.length;
  return [paint('bold', 'Why'), ...shown, ...(more > 0 ? [paint('dim', `  and ${more} more reasons`)] : [])];
}

function costLines(report: CampaignReport, { paint }: TableOptions): string[] {
  const { cost, balance } = report;
  const amount = (text: string | null) =>
    text === null ? 'not known' : `${printableLine(cost.currency)} ${grouped(text)}`.trim();
  const line = (label: string, value: string, note = '') =>
    `  ${label.padEnd(LABEL)}${value.padStart(18)}${note === '' ? '' : `  ${paint('dim', note)}`}`;
  const lines = [
    line(
      'Charged',
      amount(cost.charged),
      cost.estimated === null ? '' : `estimated ${amount(cost.estimated)}`,
    ),
  ];
  if (cost.per_delivered !== null) lines.push(line('Per delivered', amount(cost.per_delivered)));
  lines.push(...unknownLines(report, { amount, line }));
  if (cost.saved !== null && Number(cost.saved) > 0)
    lines.push(line('Saved', amount(cost.saved), 'not sent: opted out or dead'));
  if (cost.by_network.length > 1) {
    for (const { network, sent, charged } of cost.by_network) {
      lines.push(
        line(`  network ${printableLine(network ?? 'not known')}`, amount(charged), `${whole(sent)} sent`),
      );
    }
  }
  lines.push(...balanceLines(balance, { amount, line }));
  return [paint('bold', 'Cost'), ...lines];
}

/** What may have been charged besides, and what it comes to with all of that: not known where no price is. */
function unknownLines({ cost, messages }: CampaignReport, { amount, line }: Drawing): string[] {
  const { unknown, unknown_price, at_stake, written_off_price, unpriced } = cost;
  const most = (text: string) => amount(priced(text, unpriced) === 'none' ? null : text);
  const where = (text: string) => (priced(text, unpriced) === 'some' ? ' where a price is known' : '');
  const more = (text: string) =>
    priced(text, unpriced) === 'none' ? 'no price is known' : `up to ${most(text)} more${where(text)}`;
  const note = (words: string, text: string) => `${words}: charged or not${where(text)}`;
  const stake = note('of uncertain messages', at_stake);
  const closed = note('uncertain, closed', written_off_price);
  const open: [number, string][] = [
    [unknown, line('Cost not known', counted(unknown, 'message'), more(unknown_price))],
    [messages.uncertain - messages.written_off, line('At stake', most(at_stake), stake)],
    [messages.written_off, line('Written off', most(written_off_price), closed)],
  ];
  const told = open.filter(([count]) => count > 0).map(([, words]) => words);
  if (told.length === 0) return [];
  const spent =
    unpriced === 0
      ? line('Spent, at most', amount(cost.spent), 'if all of that was charged')
      : line('Spent, at most', amount(null), `no price is known for ${counted(unpriced, 'message')}`);
  return [...told, spent];
}

interface Drawing {
  amount: (text: string | null) => string;
  line: (label: string, value: string, note?: string) => string;
}

function balanceLines(balance: CampaignReport['balance'], { amount, line }: Drawing): string[] {
  if (balance.shared_with.length > 0) {
    return [line('Balance', 'not told apart', `also sending: ${balance.shared_with.join(', ')}`)];
  }
  if (balance.before === null) return [];
  const lines = [line('Balance before', amount(balance.before))];
  if (balance.after !== null) lines.push(line('Balance after', amount(balance.after)));
  for (const { amount: added } of balance.top_ups) lines.push(line('Topped up', amount(added)));
  if (balance.unexplained === null && balance.after !== null)
    lines.push(line('Unexplained', 'not known', HIDDEN_BY_TOP_UP));
  if (balance.unexplained !== null && Number(balance.unexplained) !== 0) {
    lines.push(
      line(
        'Unexplained',
        amount(balance.unexplained),
        unexplainedWords(balance.unexplained, 'went without a known charge'),
      ),
    );
  }
  return lines;
}

function fileLines({ rows, segments }: CampaignReport, { paint }: TableOptions): string[] {
  const parts: [number, string][] = [
    [rows.planned, 'planned'],
    [rows.unchanged, 'unchanged'],
    [rows.duplicate, 'duplicate'],
    [rows.invalid, 'invalid'],
    [rows.suppressed, 'opted out or dead'],
  ];
  const of = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `    ${word.padEnd(LABEL - 2)}${whole(count).padStart(11)}`);
  const sizes: [number, string][] = [
    [segments.one, 'of one segment'],
    [segments.two, 'of two'],
    [segments.more, 'of more'],
  ];
  const shown = sizes.filter(([count]) => count > 0).map(([count, word]) => `${whole(count)} ${word}`);
  return [
    paint('bold', 'Contacts'),
    `  ${'Rows read'.padEnd(LABEL)}${whole(rows.read).padStart(11)}`,
    ...of,
    `  ${'Segments'.padEnd(LABEL)}${whole(segments.planned).padStart(11)}  ${paint('dim', shown.join(', '))}`,
  ];
}

function speedLines({ throughput, latency_ms }: CampaignReport, { paint }: TableOptions): string[] {
  const rate = throughput.messages_per_second;
  const lines = [];
  if (rate !== null) lines.push(`  ${'Sent'.padEnd(LABEL)}${rate.toFixed(1).padStart(11)}  a second`);
  for (const [label, { p50, p95 }] of [
    ['Answered within', latency_ms.send],
    ['Delivered within', latency_ms.delivery],
  ] as const) {
    if (p50 === null || p95 === null) continue;
    lines.push(`  ${label.padEnd(LABEL)}${duration(p50).padStart(11)}  for half, ${duration(p95)} for 95 %`);
  }
  return lines.length === 0 ? [] : [paint('bold', 'Speed'), ...lines];
}
