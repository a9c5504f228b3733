import { Argument } from 'commander';
import { replayWebhooks } from '../../campaign/replay-webhooks.ts';
import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/mask.ts';
import { DELIVERY_RANKS, type Delivery } from '../../domain/message.ts';
import { printable } from '../../domain/printable.ts';
import type { UnknownWord, WebhookShape } from '../../ledger/replies.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { whole } from '../../reports/report-words.ts';
import type { Call, CommandModule } from '../commands.ts';
import { confirmYes } from '../confirm.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { operator } from '../order.ts';
import { payloadLines } from '../payload.ts';
import { renderTable } from '../table.ts';
import { sinceFlag } from '../typed.ts';

const MOST_LISTED = 50;
const ACTIONS = { list, inspect, map, replay, void: takeBack } as const;
const MEANINGS = Object.keys(DELIVERY_RANKS) as Delivery[];

/** `tuma webhooks list / inspect ID / map WORD MEANING / replay / void --from IP [--since T]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
      .argument('[what]', 'inspect: the id of a raw webhook; map: a word, as list shows it')
      .argument('[meaning]', `map: ${MEANINGS.join(', ')}`)
      .option('--from <ip>', 'void: the address that posted them')
      .option('--since <time>', 'void: only from so long ago (2h, 7d) or a moment (2026-11-27T09:00) on')
      .option('--yes', 'void: ask nobody'),
  run: (context, call) => ACTIONS[call.args[0] as keyof typeof ACTIONS](context, call),
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const reader = await context.reader();
  const counts = await reader.webhookCounts();
  const words = await reader.unknownWords(MOST_LISTED);
  const shapes = await reader.webhookShapes(MOST_LISTED);
  const { notUnderstood, ...rest } = counts;
  const document = {
    counts: { ...rest, not_understood: notUnderstood },
    words: words.map(({ word, count, lastAt, mapped, webhook }) => {
      return { word: shownWord(word), count, last_at: isoTime(lastAt), mapped, webhook };
    }),
    shapes: shapes.map(({ kind, shape, count, lastAt, webhook }) => {
      return { kind, shape: printable(shape), count, last_at: isoTime(lastAt), webhook };
    }),
  };
  output.result(document, () => listText(context, { words, shapes }));
  if (words.some(({ mapped }) => mapped === null))
    output.note('Say once what a word means: tuma webhooks map WORD delivered (or undelivered, pending)');
  return EXIT.done;
}

function listText({ output }: Context, { words, shapes }: { words: UnknownWord[]; shapes: WebhookShape[] }) {
  const options = { padded: output.terminal };
  const columns = (...headings: string[]) =>
    headings.map((heading) => ({ heading, numeric: heading === 'count' || heading === 'id' }));
  const wordRows = words.map(({ word, count, lastAt, mapped, webhook }) => {
    return [shownWord(word), whole(count), mapped ?? 'nobody knows', isoTime(lastAt), String(webhook)];
  });
  const shapeRows = shapes.map(({ kind, shape, count, lastAt, webhook }) => {
    return [kind.replace('_', ' '), whole(count), isoTime(lastAt), String(webhook), shape];
  });
  const parts = [
    wordRows.length === 0
      ? 'Every word of a report is known.'
      : renderTable(columns('word', 'count', 'means', 'last', 'id'), wordRows, options),
    shapeRows.length === 0
      ? 'Every webhook was understood.'
      : renderTable(columns('kind', 'count', 'last', 'id', 'fields'), shapeRows, options),
  ];
  return parts.join('\n\n');
}

/** A stranger's word may hold anything, a number too. */
function shownWord(word: string): string {
  return maskText(printable(word));
}

async function inspect(context: Context, { args }: Call): Promise<number> {
  const { output } = context;
  const id = Number(args[1]);
  const raw = Number.isSafeInteger(id) ? await (await context.reader()).rawWebhook(id) : null;
  if (raw === null)
    throw new TumaError('not_found', {
      message: `There is no webhook ${args[1] ?? ''}.`,
      hint: 'tuma webhooks list names one of each kind.',
    });
  const payload = payloadLines(raw, { showNumbers: output.showNumbers });
  const about = {
    id,
    kind: raw.kind,
    received_at: isoTime(raw.receivedAt),
    times: raw.times,
    last_at: isoTime(raw.lastAt),
    from: raw.ip,
    method: raw.method,
    content_type: printable(raw.contentType),
    voided_at: raw.voidedAt === null ? null : isoTime(raw.voidedAt),
  };
  output.result({ ...about, payload }, () => {
    const head = Object.entries(about).map(([name, value]) => [name, value === null ? '' : String(value)]);
    const body = payload.map(({ path, value }) => [path, value]);
    const columns = [{ heading: 'path' }, { heading: 'value' }];
    return renderTable(columns, [...head, ...body], { padded: output.terminal });
  });
  return EXIT.done;
}

async function map(context: Context, { args }: Call): Promise<number> {
  const { output, clock } = context;
  const [, word, meaning] = args;
  if (word === undefined || !MEANINGS.includes(meaning as Delivery))
    throw new TumaError('usage', {
      message: 'map needs a word and what it means.',
      hint: `tuma webhooks map WORD ${MEANINGS.join('|')}`,
    });
  const delivery = meaning as Delivery;
  const known = (await context.webhookReading()).knows(word);
  if (known !== null)
    throw new TumaError('usage', {
      message: `The profile knows this word: ${known}.`,
      hint: 'Change it in the profile (TUMA_PROFILE, docs/profile.md), then: tuma webhooks replay',
    });
  const ledger = await context.ledger();
  const reports = await ledger.mapWord({ word, delivery, now: clock.now(), by: operator() });
  output.result(
    { word, delivery, reports },
    () => `"${shownWord(word)}" means ${delivery}; ${whole(reports)} reports were worked out anew.`,
  );
  return EXIT.done;
}

async function replay(context: Context): Promise<number> {
  const { output, clock, signal } = context;
  const { parse, wishOf } = await context.webhookReading();
  const ledger = await context.ledger();
  const count = await replayWebhooks(
    { ledger, clock },
    { parse, wishOf, signal, progress: (read) => output.progress(`${whole(read)} read`) },
  );
  output.result({ webhooks: count }, () => `${whole(count)} webhooks were read again.`);
  return EXIT.done;
}

async function takeBack(context: Context, { flags }: Call): Promise<number> {
  const { output, clock, config, signal } = context;
  const ip = flags['from'];
  if (typeof ip !== 'string')
    throw new TumaError('usage', {
      message: 'void needs --from IP.',
      hint: 'tuma webhooks inspect ID shows where one came from.',
      where: '--from',
    });
  const now = clock.now();
  const since = sinceFlag(flags['since'], { now, zone: config.zone });
  const sure = await confirmYes({
    output,
    signal,
    yes: flags['yes'] === true,
    question: `Take back everything that ${printable(ip)} posted${since === null ? '' : ` since ${isoTime(since)}`}?`,
    hint: 'Add --yes to take back without a terminal.',
  });
  if (!sure) throw new TumaError('declined', { message: 'Nothing was taken back.' });
  const counts = await (await context.ledger()).voidWebhooks({ ip, since, now, by: operator() });
  output.result({ from: ip, since: since === null ? null : isoTime(since), ...counts }, () => {
    const { webhooks, reports, replies, uncertain } = counts;
    const taken = `${whole(webhooks)} webhooks were taken back: ${whole(reports)} reports, ${whole(replies)} replies.`;
    return uncertain === 0 ? taken : `${taken}\n${whole(uncertain)} messages are uncertain again.`;
  });
  return EXIT.done;
}
