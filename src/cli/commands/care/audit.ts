import { formatMoney, whole } from '../../../domain/money.ts';
import { maskMobile } from '../../../domain/text/mask.ts';
import type { AuditEntry } from '../../../ledger/records.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import type { Output } from '../../terminal/output.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

/** The latest entries on a screen. */
const MOST_SHOWN = 200;
/** The latest entries of a document. */
const MOST_LISTED = 100_000;

/** `tuma audit [CAMPAIGN]` */
export const command: CommandModule = {
  declare: (command) =>
    void command.argument('[campaign]', 'only this one: id, unique prefix of one, or name'),
  async run(context, { args }) {
    const { output } = context;
    const reader = await context.reader();
    const campaign =
      args[0] === undefined ? null : (await findCampaign(reader, args[0], { beginning: true })).n;
    const limit = output.json ? MOST_LISTED : MOST_SHOWN;
    const { total, entries } = await reader.auditTrail({ campaign, limit });
    output.result({ total, entries: entries.map((entry) => entryPart(entry, output)) }, () =>
      entries.length === 0 ? 'Nobody did anything here yet.' : trailTable(context, entries),
    );
    if (total > entries.length)
      output.note(`${whole(total - entries.length)} older entries are left out; --json has all of them`);
    return EXIT.done;
  },
};

/** As `--json` shows it. */
function entryPart({ at, by, from, verb, campaign, detail }: AuditEntry, output: Output) {
  const { mobile, ...others } = detail;
  const masked = typeof mobile === 'string' ? { mobile: shownMobile(mobile, output) } : {};
  return { at: isoTime(at), by: output.words(by), from, verb, campaign, detail: { ...others, ...masked } };
}

function trailTable(context: Context, entries: AuditEntry[]): string {
  const { output } = context;
  const rows = entries.map(({ at, by, from, verb, campaign, detail }) => [
    shownTime(context, at),
    from === null ? output.words(by) : `${output.words(by)} at ${from}`,
    verb.replaceAll('_', ' '),
    campaign === null ? '' : `${campaign.name} (${campaign.id})`,
    detailWords(context, detail),
  ]);
  return renderTable(columnsOf(['when', 'who', 'what', 'campaign', 'detail'], []), rows, {
    padded: output.terminal,
  });
}

/** "reason balance, was running": what the ledger noted, without what is empty. */
function detailWords(context: Context, detail: AuditEntry['detail']): string {
  return Object.entries(detail)
    .flatMap(([key, value]) => factWords(context, key, value))
    .join(', ');
}

function factWords(context: Context, key: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${wordsOf(key)} ${value.length}`];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([inner, each]) => factWords(context, inner, each));
  if (typeof value === 'number') return value === 0 ? [] : [numberWords(context, key, value)];
  if (typeof value !== 'string' || value === '') return [];
  const text = key === 'mobile' ? shownMobile(value, context.output) : value;
  return [`${wordsOf(key)} ${context.output.words(text)}`];
}

function numberWords(context: Context, key: string, value: number): string {
  if (TIMES.test(key)) return `${wordsOf(key)} ${shownTime(context, value)}`;
  if (MONEY.test(key)) return `${wordsOf(key)} ${context.config.currency} ${formatMoney(value)}`;
  return `${wordsOf(key)} ${whole(value)}`;
}

/** Names of the ledger's notes that hold milliseconds, and those that hold millionths. */
const TIMES = /At$|^(?:before|since)$/;
const MONEY = /Micro$/;

/** `budgetMicro` as "budget", `startAt` as "start at". */
function wordsOf(key: string): string {
  return key
    .replace(MONEY, '')
    .replaceAll(/[A-Z_]/g, (letter) => (letter === '_' ? ' ' : ` ${letter.toLowerCase()}`));
}

function shownMobile(mobile: string, { showNumbers }: Output): string {
  return showNumbers ? mobile : maskMobile(mobile);
}
