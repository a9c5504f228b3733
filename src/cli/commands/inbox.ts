import type { ReplyRow } from '../../ledger/replies.ts';
import type { LedgerReader } from '../../ledger/reader.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { csvLine } from '../../reports/csv-line.ts';
import { counted } from '../../domain/money.ts';
import type { CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { findCampaign } from '../arguments/find-campaign.ts';
import { INBOX_COLUMNS, inboxLine, mediaOf } from '../files/inbox-file.ts';
import { writeOutFile } from '../files/out-file.ts';
import { FORCE, outFlag } from '../files/out-target.ts';
import { OWN_FILES } from '../files/own-files.ts';
import { shownTime } from '../text/shown-time.ts';
import { renderTable } from '../text/table.ts';
import { sinceFlag } from '../arguments/parse-argument.ts';

/** Replies on the screen; a file takes all. */
const MOST_SHOWN = 200;
const PAGE = 2_000;

/** `tuma inbox [--campaign C] [--since T] [--out F]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .option('--campaign <campaign>', 'only answers to this one: id, unique prefix of one, or name')
      .option('--since <time>', 'only from so long ago (2h, 7d) or a moment (2026-11-27T09:00) on')
      .option('--out <file>', 'write all of them as CSV; it holds full numbers and only you can read it')
      .option(...FORCE),
  async run(context, { flags }) {
    const { output, clock, config } = context;
    const file = outFlag(flags, { config, written: OWN_FILES.replies });
    const reader = await context.reader();
    const named = flags['campaign'];
    const campaign = typeof named === 'string' ? (await findCampaign(reader, named)).n : null;
    const since = sinceFlag(flags['since'], { now: clock.now(), zone: config.zone }) ?? 0;
    const query = { campaign, since };
    if (file !== null) return toFile(context, { reader, query, file });
    const rows = await reader.replies({ ...query, beforeId: null, limit: MOST_SHOWN + 1 });
    const shown = rows.slice(0, MOST_SHOWN);
    const more = rows.length > shown.length;
    output.result({ replies: shown.map((row) => document(context, row)), more }, () =>
      shown.length === 0 ? 'Nobody has answered.' : table(context, shown),
    );
    if (more) output.note(`The latest ${MOST_SHOWN} are shown; --out FILE writes all, --since shows fewer.`);
    return EXIT.done;
  },
};

function document({ output }: Context, row: ReplyRow) {
  const { id, channel, recordId, mobile, addressee, text, wish, campaign, receivedAt, at, detail } = row;
  return {
    id,
    channel,
    record: recordId,
    received_at: isoTime(receivedAt),
    sent_at: at === null ? null : isoTime(at),
    mobile: output.number(mobile),
    to: output.words(addressee),
    text: output.words(text),
    wish,
    media: mediaOf(row),
    file_name: output.words(detail['file_name'] ?? ''),
    campaign: campaign === null ? null : { id: campaign.id, name: campaign.name, line: campaign.line },
  };
}

function table(context: Context, rows: ReplyRow[]): string {
  const { output } = context;
  return renderTable(
    [
      { heading: 'received' },
      { heading: 'from' },
      { heading: 'to' },
      { heading: 'campaign' },
      { heading: 'asks' },
      { heading: 'text' },
    ],
    rows.map((row) => [
      shownTime(context, row.receivedAt),
      output.number(row.mobile),
      output.words(row.addressee),
      row.campaign?.name ?? '',
      row.wish ?? '',
      (mediaOf(row) === null ? '' : `[${mediaOf(row)} ${row.recordId ?? ''}] `) + output.words(row.text),
    ]),
    { padded: output.terminal },
  );
}

interface Filing {
  reader: LedgerReader;
  query: { campaign: number | null; since: number };
  file: string;
}

async function toFile({ output, signal }: Context, { reader, query, file }: Filing): Promise<number> {
  let count = 0;
  async function* pages() {
    yield csvLine(INBOX_COLUMNS);
    let beforeId: number | null = null;
    for (;;) {
      const rows: ReplyRow[] = await reader.replies({ ...query, beforeId, limit: PAGE });
      count += rows.length;
      yield rows.map(inboxLine).join('');
      if (rows.length < PAGE) return;
      beforeId = rows.at(-1)?.id ?? null;
    }
  }
  await writeOutFile(file, pages(), signal);
  output.result({ file, rows: count }, () => `${counted(count, 'reply')} in ${file}`);
  return EXIT.done;
}
