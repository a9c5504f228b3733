import { printable } from '../../../domain/text/printable.ts';
import type { ReplyRow } from '../../../ledger/replies.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
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

/** The other fields of a chat record (API document 2.6), by their names there. */
const DETAILS = [
  'message_id',
  'sender_jid',
  'chat_jid',
  'media_type',
  'media_url',
  'file_name',
  'file_size',
  'mime_type',
] as const;

/**
 * The header of the file that `--out` writes. `received_at` is the time in the message (2.5, 2.6: when the service got it);
 * `arrived_at` is when its webhook came here.
 */
const COLUMNS: readonly string[] = [
  'id',
  'received_at',
  'arrived_at',
  'channel',
  'mobile',
  'to',
  'text',
  'wish',
  'campaign',
  'line',
  'media',
  ...DETAILS,
];

const TIMES: readonly string[] = ['received_at', 'arrived_at'];

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
    ...Object.fromEntries(DETAILS.map((name) => [name, output.words(detail[name] ?? '')])),
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
  const rows = { header: COLUMNS, read, cells, times: TIMES, zone, writing: context };
  const count = await writeRows(file, rows);
  context.output.result({ file, rows: count }, () => `${counted(count, 'reply')} in ${file}`);
  return EXIT.done;
}

/** A reply as one line of the file. */
function cells(row: ReplyRow): (string | number | null)[] {
  const { id, receivedAt, channel, mobile, addressee, text, wish, campaign, recordId, at, detail } = row;
  const media = mediaOf(row) === null ? '' : (recordId ?? '');
  const link = [campaign?.id ?? null, campaign?.line ?? null];
  const times = [at === null ? null : isoTime(at), isoTime(receivedAt)];
  const rest = DETAILS.map((name) => detail[name] ?? '');
  return [id, ...times, channel, mobile, addressee, text, wish, ...link, media, ...rest];
}

/** The type of the file that came with a chat message; null: only text. */
function mediaOf({ detail }: ReplyRow): string | null {
  const { media_type: type = 'text' } = detail;
  return type === 'text' ? null : printable(type);
}
