import { counted, whole } from '../../domain/money.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { CampaignReport } from '../../reports/campaign-report.ts';
import { networkName } from '../../reports/network-words.ts';
import { neededFor, resumeCommand } from './advice-text.ts';
import { decisionNote } from './decision-text.ts';
import { type Outcome, outcomes } from '../../reports/outcomes.ts';
import { joinSections, Page, type TableOptions } from '../../reports/terminal-page.ts';
import { clock, duration, pauseWords, percent, saidWords, saysMore } from '../../reports/report-words.ts';

const MOST_REASONS = 8;
/** Columns of a bar at most, and at least: below that there is none. */
const MOST_BAR = 24;
const LEAST_BAR = 9;
/** Columns of a line without its bar. */
const BESIDE_BAR = 71;

/** The report as a page for a terminal: what came of the messages first, then the money, then what to do. */
export function reportTable(report: CampaignReport, options: TableOptions): string {
  const page = new Page(options, report.cost.currency);
  const steps = [...report.decisions.map(decisionNote), ...nextSteps(report)];
  return joinSections([
    titleLines(report, page),
    outcomeLines(report, page),
    reasonLines(report, page),
    costLines(report, page),
    fileLines(report, page),
    speedLines(report, page),
    steps.map((step) => options.paint('cyan', step)),
  ]);
}

/** Name and state, then when it ran. */
function titleLines({ campaign }: CampaignReport, page: Page): string[] {
  const { name, id, kind, state, provider_words } = campaign;
  const words = state === 'paused' ? pauseWords(campaign) : state;
  const style =
    state === 'finished' ? 'green' : state === 'paused' || state === 'canceled' ? 'yellow' : 'cyan';
  return [
    `${page.bold(printableLine(name))}  ${page.options.paint(style, words)}${saidWords(provider_words)}`,
    page.dim(`${id} · ${kind} · ${page.options.zone}`),
    page.dim(whenWords(campaign, page.options.zone)),
  ];
}

function whenWords(
  { created_at, started_at, finished_at }: CampaignReport['campaign'],
  zone: string,
): string {
  if (started_at === null) return `launched ${clock(created_at, zone)}`;
  const from = clock(started_at, zone);
  if (finished_at === null) return `sending since ${from}`;
  const to = clock(finished_at, zone);
  const isSameDay = from.slice(0, -8) === to.slice(0, -8);
  const span = duration(Date.parse(finished_at) - Date.parse(started_at));
  return `sent ${from} – ${isSameDay ? to.slice(-8) : to} (${span})`;
}

function outcomeLines(report: CampaignReport, page: Page): string[] {
  const { rows } = report;
  const shown = outcomes(report).filter(({ count }) => count > 0);
  return [
    `${page.bold('Messages')}  ${page.dim(`${whole(rows.planned)} planned`)}`,
    ...shown.map((outcome) => outcomeLine(outcome, rows.planned, page)),
  ];
}

function outcomeLine({ label, count, style, note }: Outcome, planned: number, page: Page): string {
  const { paint, width } = page.options;
  const share = planned === 0 ? 0 : count / planned;
  const bar = Math.min(width - BESIDE_BAR, MOST_BAR);
  const words = [percent(share).padStart(7)];
  if (bar >= LEAST_BAR) {
    const filled = Math.max(1, Math.round(share * bar));
    words.push(paint(style, '█'.repeat(filled)) + page.dim('░'.repeat(bar - filled)));
  }
  if (note !== undefined) words.push(page.dim(note));
  return page.count(label, count, words.join('  '));
}

function reasonLines({ reasons }: CampaignReport, page: Page): string[] {
  if (reasons.length === 0) return [];
  const shown = reasons.slice(0, MOST_REASONS).flatMap((each) => {
    const { state, reason, count, retry_helps, provider_words } = each;
    const help = retry_helps ? page.options.paint('cyan', '  a retry can help') : '';
    const label = state === 'sent' ? 'not delivered' : state;
    return [
      page.count(label, count, printableLine(reason) + help),
      ...page.said(saysMore(each) ? provider_words : null),
    ];
  });
  const more = reasons.length - shown.length;
  return [page.bold('Why'), ...shown, ...(more > 0 ? [page.dim(`  and ${more} more reasons`)] : [])];
}

function costLines({ cost, messages, balance }: CampaignReport, page: Page): string[] {
  const { charged, estimated, per_delivered, spent, saved, unpriced } = cost;
  const uncertain = messages.uncertain - messages.written_off;
  const open = page.openCosts({ ...cost, uncertain, written_off: messages.written_off });
  const lines = [
    page.bold('Cost'),
    page.line(
      'Charged',
      page.amount(charged),
      estimated === null ? '' : `estimated ${page.amount(estimated)}`,
    ),
  ];
  if (per_delivered !== null) lines.push(page.line('Per delivered', page.amount(per_delivered)));
  if (open.length > 0) {
    const unknown = `no price is known for ${counted(unpriced, 'message')}`;
    const note = unpriced === 0 ? 'if all of that was charged' : unknown;
    lines.push(...open, page.line('Spent, at most', page.amount(unpriced === 0 ? spent : null), note));
  }
  if (Number(saved) > 0) lines.push(page.line('Saved', page.amount(saved), 'not sent: opted out or dead'));
  return [...lines, ...networkLines(cost, page), ...balanceLines(balance, page)];
}

function networkLines({ by_network }: CampaignReport['cost'], page: Page): string[] {
  if (by_network.length < 2) return [];
  return by_network.map(({ network, sent, charged }) => {
    const name = printableLine(networkName(network, page.options.networks));
    return page.line(`  network ${name}`, page.amount(charged), `${whole(sent)} sent`);
  });
}

function balanceLines(balance: CampaignReport['balance'], page: Page): string[] {
  const { before, after, unexplained, shared_with, top_ups } = balance;
  if (shared_with.length > 0) {
    return [page.line('Balance', 'not told apart', `also sending: ${shared_with.join(', ')}`)];
  }
  if (before === null) return [];
  const lines = [page.line('Balance before', page.amount(before))];
  if (after !== null) lines.push(page.line('Balance after', page.amount(after)));
  for (const { amount } of top_ups) lines.push(page.line('Topped up', page.amount(amount)));
  if (after !== null && Number(unexplained ?? 1) !== 0)
    lines.push(page.unexplained('Unexplained', unexplained, 'went without a known charge'));
  return lines;
}

function fileLines({ rows, segments }: CampaignReport, page: Page): string[] {
  const parts: [number, string][] = [
    [rows.planned, 'planned'],
    [rows.unchanged, 'unchanged'],
    [rows.duplicate, 'duplicate'],
    [rows.invalid, 'invalid'],
    [rows.suppressed, 'opted out or dead'],
  ];
  const sizes: [number, string][] = [
    [segments.one, 'of one segment'],
    [segments.two, 'of two'],
    [segments.more, 'of more'],
  ];
  const shown = sizes.filter(([count]) => count > 0).map(([count, words]) => `${whole(count)} ${words}`);
  return [
    page.bold('Contacts'),
    page.count('Rows read', rows.read),
    ...parts.filter(([count]) => count > 0).map(([count, word]) => page.count(`  ${word}`, count)),
    page.count('Segments', segments.planned, page.dim(shown.join(', '))),
  ];
}

function speedLines({ throughput, latency_ms }: CampaignReport, page: Page): string[] {
  const rate = throughput.messages_per_second;
  const lines = rate === null ? [] : [page.count('Sent', rate.toFixed(1), 'a second')];
  for (const [label, { p50, p95 }] of [
    ['Answered within', latency_ms.send],
    ['Delivered within', latency_ms.delivery],
  ] as const) {
    if (p50 === null || p95 === null) continue;
    lines.push(page.count(label, duration(p50), `for half, ${duration(p95)} for 95 %`));
  }
  return lines.length === 0 ? [] : [page.bold('Speed'), ...lines];
}

/** The commands that help with what is left over. */
function nextSteps({ campaign, messages, reasons }: CampaignReport): string[] {
  const steps = [];
  const isRetryable = reasons.some(({ state, retry_helps }) => state === 'rejected' && retry_helps);
  if (isRetryable && campaign.state !== 'canceled')
    steps.push(`Try the rejected again:   tuma retry ${campaign.id}`);
  if (messages.uncertain > messages.written_off)
    steps.push(`Decide the uncertain:     tuma resolve ${campaign.id} --evidence`);
  if (campaign.state === 'paused')
    steps.push(
      `Go on:                    ${resumeCommand({ campaign: campaign.id, needs: neededFor(campaign.reason) })}`,
    );
  return steps;
}
