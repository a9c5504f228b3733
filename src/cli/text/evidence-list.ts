import type { Campaign } from '../../domain/campaign.ts';
import type { LedgerReader, UncertainRow } from '../../ledger/contracts/reader.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { type CreditEvidence, evidencePart, readCreditEvidence } from '../../reports/credit-evidence.ts';
import { counted, formatMoney, grouped, whole } from '../../domain/money.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Context } from '../context.ts';
import { findCampaign } from '../arguments/find-campaign.ts';
import { campaignPart } from '../terminal/order.ts';
import { shownTime } from './shown-time.ts';
import { columnsOf, renderTable, shortened } from './table.ts';

/** Uncertain messages that are listed at once; the rest is counted. */
const MOST_LISTED = 1_000;
/** Columns of an answer in the table. */
const MOST_ANSWER = 80;

const COLUMNS = columnsOf(
  ['line', 'mobile', 'key', 'since', 'why', 'written off', 'http', 'code', 'answer'],
  ['line', 'http'],
);

/** Which messages a person asks about: of one line of the contacts file, to one number; null: all. */
export interface Wanted {
  line: number | null;
  mobile: string | null;
}

type Found = Awaited<ReturnType<LedgerReader['uncertain']>>;

/** Lists a campaign's uncertain messages with the evidence of each. Reads only. */
export async function listEvidence(context: Context, reference: string, wanted: Wanted): Promise<void> {
  const { output } = context;
  const reader = await context.reader();
  const asked = await findCampaign(reader, reference);
  const { n } = asked;
  const found = await reader.uncertain({ campaign: n, limit: MOST_LISTED, ...wanted });
  const campaign = await campaignPart(context, n);
  const uncertain = found.rows.map((row) => document(context, row));
  const more = found.total - uncertain.length;
  const credit = found.total === 0 ? null : await creditOf(context, asked);
  const part = credit === null ? null : evidencePart(credit);
  output.result({ campaign, uncertain, uncertain_total: found.total, more: more > 0, credit: part }, () =>
    found.rows.length === 0
      ? noneOf(campaign.name, wanted)
      : [table(context, found), ...creditLines(context, credit)].join('\n'),
  );
  if (more > 0)
    output.note(`and ${whole(more)} more: --line N or --mobile NUMBER shows the one you look for.`);
}

async function creditOf({ config, clock, ...context }: Context, { n }: Campaign): Promise<CreditEvidence> {
  const reader = await context.reader();
  const now = clock.now();
  return readCreditEvidence(reader, await reader.campaignCounters(n, now - config.reportWaitMs), now);
}

function creditLines({ config }: Context, credit: CreditEvidence | null): string[] {
  if (credit === null || credit.waiting === 0) return [];
  const { waiting, unexplainedMicro, explains, atStakeMicro } = credit;
  const wait = `${counted(waiting, 'message')} ${waiting === 1 ? 'waits' : 'wait'} for a decision.`;
  if (unexplainedMicro === null) return ['', `${wait} The balance cannot tell which were charged.`];
  const { currency } = config;
  const fell = `The credit fell by ${currency} ${grouped(formatMoney(unexplainedMicro))} more than the known charges`;
  if (explains === null)
    return ['', `${wait} ${fell}; they may have cost up to ${grouped(formatMoney(atStakeMicro))}.`];
  return ['', `${wait} ${fell}: it explains ${whole(explains)} of ${whole(waiting)} as charged.`];
}

function document({ output, clock, config }: Context, row: UncertainRow) {
  const { line, mobile, key, reason, attempts, settledAt, writtenOff, flags, seen } = row;
  return {
    line,
    mobile: output.number(mobile),
    key,
    reason,
    attempts,
    since: isoTime(settledAt),
    old_enough: settledAt < clock.now() - config.resolveAfterMs,
    written_off: writtenOff,
    flags,
    evidence:
      seen === null
        ? null
        : { at: isoTime(seen.at), http_status: seen.httpStatus, code: seen.code, raw: seen.raw },
  };
}

function table(context: Context, { rows }: Found): string {
  const { output } = context;
  const cells = rows.map(({ line, mobile, key, settledAt, reason, writtenOff, seen }) => [
    String(line),
    output.number(mobile),
    key,
    shownTime(context, settledAt),
    reason ?? '',
    writtenOff ? 'yes' : '',
    String(seen?.httpStatus ?? ''),
    seen?.code ?? '',
    shortened(
      printable(seen?.raw ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
      MOST_ANSWER,
    ),
  ]);
  return renderTable(COLUMNS, cells, { padded: output.terminal });
}

function noneOf(name: string, { line, mobile }: Wanted): string {
  const which = line === null && mobile === null ? '' : ' of that line or number';
  return `No message${which} of ${name} is uncertain.`;
}
