import type { ReplyRow } from '../../../ledger/contracts/replies.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import {
  CHAT_DETAILS,
  INBOX_COLUMNS,
  INBOX_TIMES,
  inboxCells,
  mediaOf,
} from '../../../reports/inbox-rows.ts';
import { counted } from '../../../domain/money.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { writeRows } from '../../files/out-file.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

/** Replies on the screen; a file takes all. */
const MOST_SHOWN = 200;

const NOBODY = { all: 'Nobody has answered.', maybe_stop: 'No reply waits for a decision.' };
const HOW_TO_DECIDE =
  'Decide about each number: tuma optouts add NUMBER stops, tuma optouts remove NUMBER goes on. --show-numbers shows the numbers.';

/** `tuma inbox [--maybe-stop] [--out F]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .option('--maybe-stop', 'only those that may ask to stop, until somebody decides about the number')
      .option(
        '--out <file>',
        'write all of them as CSV, or as a workbook (.xlsx); it holds full numbers and only you can read it',
      )
      .option(...FORCE),
  async run(context, { flags }) {
    const { output, config } = context;
    const file = outFlag(flags, config);
    const inDoubt = flags['maybeStop'] === true;
    const reader = await context.reader();
    const read: ReadReplies = (last, limit) =>
      reader.replies({ campaign: null, since: 0, inDoubt, before: last, limit });
    if (file !== null) return toFile(context, read, file);
    const rows = await read(null, MOST_SHOWN + 1);
    const shown = rows.slice(0, MOST_SHOWN);
    const more = rows.length > shown.length;
    output.result({ replies: shown.map((row) => document(context, row)), more }, () =>
      shown.length === 0 ? NOBODY[inDoubt ? 'maybe_stop' : 'all'] : table(context, shown),
    );
    if (inDoubt && shown.length > 0) output.note(HOW_TO_DECIDE);
    if (more) output.note(`The latest ${MOST_SHOWN} are shown; --out FILE writes all.`);
    return EXIT.done;
  },
};

/** Reads a page of the wanted replies, which come after `last`. */
type ReadReplies = (last: ReplyRow | null, limit: number) => Promise<ReplyRow[]>;

function document({ output }: Context, row: ReplyRow) {
  const { id, channel, recordId, mobile, addressee, text, wish, campaign, receivedAt, at, detail } = row;
  return {
    id,
    channel,
    record: recordId,
    received_at: at === null ? null : isoTime(at),
    arrived_at: isoTime(receivedAt),
    mobile: output.number(mobile),
    to: output.words(addressee),
    text: output.words(text),
    wish,
    media: mediaOf(row),
    ...Object.fromEntries(CHAT_DETAILS.map((name) => [name, output.words(detail[name] ?? '')])),
    campaign: campaign === null ? null : { id: campaign.id, name: campaign.name, line: campaign.line },
  };
}

function table(context: Context, rows: ReplyRow[]): string {
  const { output } = context;
  return renderTable(
    columnsOf(['received', 'arrived', 'from', 'to', 'campaign', 'asks', 'text']),
    rows.map((row) => [
      row.at === null ? '' : shownTime(context, row.at),
      shownTime(context, row.receivedAt),
      output.number(row.mobile),
      output.words(row.addressee),
      row.campaign?.name ?? '',
      row.wish?.replace('_', ' ') ?? '',
      (mediaOf(row) === null ? '' : `[${mediaOf(row)} ${row.recordId ?? ''}] `) + output.words(row.text),
    ]),
    { padded: output.terminal },
  );
}

async function toFile(context: Context, read: ReadReplies, file: string): Promise<number> {
  const { zone } = context.config;
  const rows = {
    header: INBOX_COLUMNS,
    read,
    cells: inboxCells,
    times: INBOX_TIMES,
    zone,
    writing: context,
  };
  const count = await writeRows(file, rows);
  context.output.result({ file, rows: count }, () => `${counted(count, 'reply')} in ${file}`);
  return EXIT.done;
}
