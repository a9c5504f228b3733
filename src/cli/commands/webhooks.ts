import { isIP } from 'node:net';
import { Argument } from 'commander';
import { TumaError } from '../../domain/errors.ts';
import { DELIVERY_RANKS, type Delivery } from '../../domain/message.ts';
import { printable } from '../../domain/text/printable.ts';
import type { MismatchedReports, PayloadMapping, UnknownWord, WebhookShape } from '../../ledger/replies.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { counted, whole } from '../../domain/money.ts';
import { type Action, oneOf } from '../actions.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../launch/begun-ledger.ts';
import type { Call, CommandModule } from '../command.ts';
import { confirmYes } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { operator } from '../terminal/order.ts';
import { payloadLines } from '../text/payload.ts';
import { shownTime } from '../text/shown-time.ts';
import { renderTable } from '../text/table.ts';
import { sinceFlag } from '../arguments/parse-argument.ts';
import { mapShape, pointsByPath, replayAll, shownPaths, voidPayloadMapping } from '../text/webhook-shapes.ts';

const MOST_LISTED = 50;
/** Webhooks that are named of one group. */
const MOST_NAMED = 10;
const MEANINGS = Object.keys(DELIVERY_RANKS) as Delivery[];
const ACTIONS: Readonly<Record<string, Action>> = {
  list: { ways: ['list'], run: list },
  inspect: { ways: ['inspect ID'], run: inspect },
  map: {
    ways: [
      'map WORD MEANING',
      'map --id-path P --status-path P [--reason-path P] [--mobile-path P] [--network-path P] [--time-path P]',
    ],
    run: map,
  },
  replay: { ways: ['replay'], run: replay },
  void: { ways: ['void --from IP [--since TIME] [--yes]', 'void --shape N [--yes]'], run: takeBack },
};

/** `tuma webhooks list / inspect ID / map WORD MEANING, or --id-path P --status-path P / replay / void --from IP` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
      .argument('[what]', 'inspect: the id of a raw webhook; map: a word, as list shows it')
      .argument('[meaning]', `map: ${MEANINGS.join(', ')}`)
      .option('--id-path <path>', 'map: where reports of another shape have the message id (data.msgId)')
      .option('--status-path <path>', 'map: and where the word of status (data.state)')
      .option('--reason-path <path>', 'map: the reason, where it is not found by itself')
      .option('--mobile-path <path>', 'map: the number')
      .option('--network-path <path>', 'map: the network')
      .option('--time-path <path>', 'map: when it happened')
      .option('--shape <number>', 'void: take a mapped shape back, as list numbers it')
      .option('--from <ip>', 'void: the address that posted them')
      .option('--since <time>', 'void: only from so long ago (2h, 7d) or a moment (2026-11-27T09:00) on')
      .option('--yes', 'void: ask nobody'),
  run: oneOf('webhooks', ACTIONS),
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const reader = await context.reader();
  const counts = await reader.webhookCounts();
  const words = await reader.unknownWords(MOST_LISTED);
  const shapes = await reader.webhookShapes(MOST_LISTED);
  const mismatched = await reader.mismatchedReports(MOST_NAMED);
  const { shapes: mapped } = await reader.payloadMappings();
  const { notUnderstood, ...rest } = counts;
  const document = {
    counts: { ...rest, not_understood: notUnderstood },
    words: words.map(({ word, count, lastAt, mapped, webhook }) => {
      return { word: output.words(word), count, last_at: isoTime(lastAt), mapped, webhook };
    }),
    shapes: shapes.map(({ kind, shape, count, lastAt, webhook }) => {
      return { kind, shape: output.words(shape), count, last_at: isoTime(lastAt), webhook };
    }),
    other_mobiles: {
      count: mismatched.count,
      last_at: mismatched.lastAt === null ? null : isoTime(mismatched.lastAt),
      webhooks: mismatched.webhooks,
    },
    mapped_shapes: mapped.map(({ id, paths, at, by }) => {
      return { shape: id, paths: shownPaths(output, paths), at: isoTime(at), by };
    }),
  };
  output.result(document, () => listText(context, { words, shapes, mismatched, mapped }));
  if (words.some(({ mapped }) => mapped === null))
    output.note('Say once what a word means: tuma webhooks map WORD delivered (or undelivered, pending)');
  return EXIT.done;
}

interface Listed {
  words: UnknownWord[];
  shapes: WebhookShape[];
  mismatched: MismatchedReports;
  mapped: PayloadMapping[];
}

function listText(context: Context, { words, shapes, mismatched, mapped }: Listed) {
  const { output } = context;
  const options = { padded: output.terminal };
  const columns = (...headings: string[]) =>
    headings.map((heading) => ({ heading, numeric: ['count', 'id', 'shape'].includes(heading) }));
  const wordRows = words.map(({ word, count, lastAt, mapped, webhook }) => {
    return [
      output.words(word),
      whole(count),
      mapped ?? 'nobody knows',
      shownTime(context, lastAt),
      String(webhook),
    ];
  });
  const shapeRows = shapes.map(({ kind, shape, count, lastAt, webhook }) => {
    return [
      kind.replace('_', ' '),
      whole(count),
      shownTime(context, lastAt),
      String(webhook),
      output.words(shape),
    ];
  });
  const parts = [
    wordRows.length === 0
      ? 'Every word of a report is known.'
      : renderTable(columns('word', 'count', 'means', 'last', 'id'), wordRows, options),
    shapeRows.length === 0
      ? 'Every webhook was understood.'
      : renderTable(columns('kind', 'count', 'last', 'id', 'fields'), shapeRows, options),
  ];
  const { count, lastAt, webhooks } = mismatched;
  if (lastAt !== null) {
    const group = columns('reports whose id fits a message and whose mobile does not', 'last', 'webhooks');
    const row = [whole(count), shownTime(context, lastAt), webhooks.join(' ')];
    parts.push(renderTable(group, [row], options));
  }
  const mappedRows = mapped.map(({ id, paths, at }) => [
    String(id),
    pathsText(shownPaths(output, paths)),
    shownTime(context, at),
  ]);
  if (mappedRows.length > 0) parts.push(renderTable(columns('shape', 'paths', 'since'), mappedRows, options));
  return parts.join('\n\n');
}

function pathsText(paths: Record<string, string>): string {
  return Object.entries(paths)
    .map(([field, path]) => `${field}: ${path}`)
    .join(', ');
}

async function inspect(context: Context, { args }: Call): Promise<number> {
  const { output } = context;
  if ((args[1] ?? '').trim() === '')
    throw new TumaError('usage', {
      message: 'Which webhook?',
      hint: 'It is: tuma webhooks inspect ID. tuma webhooks list names one of each kind.',
    });
  const id = Number(args[1]);
  const raw = Number.isSafeInteger(id) ? await (await context.reader()).rawWebhook(id) : null;
  if (raw === null)
    throw new TumaError('not_found', {
      message: `There is no webhook ${args[1]}.`,
      hint: 'tuma webhooks list names one of each kind.',
    });
  const payload = payloadLines(raw, { showNumbers: output.showNumbers });
  const about = (time: (at: number) => string) => ({
    id,
    kind: raw.kind,
    received_at: time(raw.receivedAt),
    times: raw.times,
    last_at: time(raw.lastAt),
    from: raw.ip,
    method: raw.method,
    content_type: output.words(raw.contentType),
    voided_at: raw.voidedAt === null ? null : time(raw.voidedAt),
  });
  output.result({ ...about(isoTime), payload }, () => {
    const shown = about((at) => shownTime(context, at));
    const head = Object.entries(shown).map(([name, value]) => [name, value === null ? '' : String(value)]);
    const body = payload.map(({ path, value }) => [path, value]);
    const columns = [{ heading: 'path' }, { heading: 'value' }];
    return renderTable(columns, [...head, ...body], { padded: output.terminal });
  });
  return EXIT.done;
}

async function map(context: Context, call: Call): Promise<number> {
  const { output, clock } = context;
  const [, word, meaning] = call.args;
  if (pointsByPath(call)) return mapShape(context, call);
  // A report's words are read without the blanks around them, so no report says a blank one.
  if (word === undefined || word.trim() === '' || !MEANINGS.includes(meaning as Delivery))
    throw new TumaError('usage', {
      message: 'map needs a word and what it means.',
      hint: `tuma webhooks map WORD ${MEANINGS.join('|')}, or --id-path P --status-path P for another shape`,
    });
  const delivery = meaning as Delivery;
  const known = (await context.webhookReading()).knows(word);
  if (known !== null)
    throw new TumaError('usage', {
      message: `The profile knows this word: ${known}.`,
      hint: 'Change it in the profile (TUMA_PROFILE, docs/profile.md), then: tuma webhooks replay',
    });
  const ledger = await ledgerMaybeNew(context);
  const reports = await ledger.mapWord({ word, delivery, now: clock.now(), by: operator() });
  output.result(
    { word: output.words(word), delivery, reports },
    () => `"${output.words(word)}" means ${delivery}; ${counted(reports, 'report')} worked out anew.`,
  );
  if (reports === 0)
    output.note('No report has said this word so far; tuma webhooks list shows those that nobody knows.');
  return EXIT.done;
}

async function replay(context: Context): Promise<number> {
  // There is nothing to read again where there is no ledger; a new one would not be wanted.
  await ledgerOfOld(context);
  const { webhooks } = await replayAll(context);
  context.output.result({ webhooks }, () => `${counted(webhooks, 'webhook')} read again.`);
  return EXIT.done;
}

async function takeBack(context: Context, { flags }: Call): Promise<number> {
  const { output, clock, config, signal } = context;
  const { from: ip, shape } = flags;
  if (typeof shape === 'string') return voidPayloadMapping(context, shape);
  if (typeof ip !== 'string')
    throw new TumaError('usage', {
      message: 'void needs --from IP, or --shape N.',
      hint: 'tuma webhooks inspect ID shows where one came from; list numbers the shapes.',
      where: '--from',
    });
  if (isIP(ip) === 0)
    throw new TumaError('usage', {
      message: `"${printable(ip)}" is no address.`,
      hint: 'Give it as tuma webhooks inspect ID shows it after "from", such as 203.0.113.9.',
      where: '--from',
    });
  const now = clock.now();
  const since = sinceFlag(flags['since'], { now, zone: config.zone });
  const ledger = await ledgerOfOld(context);
  const sure = await confirmYes({
    output,
    signal,
    yes: flags['yes'] === true,
    question: `Take back everything that ${printable(ip)} posted${since === null ? '' : ` since ${shownTime(context, since)}`}?`,
    hint: 'Add --yes to take back without a terminal.',
  });
  if (!sure) throw new TumaError('declined', { message: 'Nothing was taken back.' });
  const counts = await ledger.voidWebhooks({ ip, since, now, by: operator() });
  // A reply belongs to the first webhook that held it. Another address may have posted the same STOP: it holds again.
  if (counts.replies > 0) await replayAll(context);
  output.result({ from: ip, since: since === null ? null : isoTime(since), ...counts }, () => {
    const { webhooks, reports, replies, uncertain } = counts;
    const taken = `Took back ${counted(webhooks, 'webhook')}: ${counted(reports, 'report')}, ${counted(replies, 'reply')}.`;
    return uncertain === 0 ? taken : `${taken}\n${counted(uncertain, 'message')} uncertain again.`;
  });
  return EXIT.done;
}
