import { formatMoney, whole } from '../../../domain/money.ts';
import { maskMobile } from '../../../domain/text/mask.ts';
import type { AuditEntry } from '../../../ledger/contracts/records.ts';
import { type AuditFact, auditFacts } from '../../../reports/audit-facts.ts';
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
  return auditFacts(detail)
    .map((fact) => `${fact.name} ${valueWords(context, fact)}`)
    .join(', ');
}

function valueWords(context: Context, fact: AuditFact): string {
  const { output, config } = context;
  if (typeof fact.value === 'string')
    return output.words(fact.kind === 'mobile' ? shownMobile(fact.value, output) : fact.value);
  if (fact.kind === 'time') return shownTime(context, fact.value);
  return fact.kind === 'money' ? `${config.currency} ${formatMoney(fact.value)}` : whole(fact.value);
}

function shownMobile(mobile: string, { showNumbers }: Output): string {
  return showNumbers ? mobile : maskMobile(mobile);
}
