import { isIP } from 'node:net';
import { mapWord, refuseKnownWord } from '../../../campaign/inbound/map-word.ts';
import { replayWebhooks } from '../../../campaign/inbound/replay-webhooks.ts';
import { TumaError } from '../../../domain/errors.ts';
import { didYouMean } from '../../../domain/text/did-you-mean.ts';
import { DELIVERIES, type Delivery } from '../../../domain/message.ts';
import { printable } from '../../../domain/text/printable.ts';
import type { MismatchedReports, UnknownWord, WebhookShape } from '../../../ledger/contracts/replies.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { contradictionWords } from '../../../reports/contradictions.ts';
import { counted, whole } from '../../../domain/money.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../../launch/begun-ledger.ts';
import type { Call, CommandGroup } from '../../command.ts';
import { confirmYes } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { webhookAddress } from '../../../config/webhook-address.ts';
import { EXIT } from '../../exit.ts';
import { readWebhookList, webhookListDocument } from '../../../reports/webhook-list.ts';
import { payloadLines } from '../../../reports/payload.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';
import { someUnmatched, unmatchedWords } from '../../../domain/unmatched-reports.ts';
import { UNMATCHED_HINT } from '../../../reports/recently-unmatched.ts';
import { repeatedTable } from '../../text/unmatched-text.ts';

/** `tuma webhooks list / inspect ID / map WORD MEANING / url / replay / void --from IP` */
export const command: CommandGroup = {
  actions: {
    list: { summary: 'words and webhooks that nobody knows, with counts', declare: () => {}, run: list },
    inspect: {
      summary: 'the fields of a raw webhook',
      declare: (action) => void action.argument('<id>', 'the id of a raw webhook, as list shows it'),
      run: inspect,
    },
    map: {
      summary: 'say once what a word of a report means',
      declare: (action) =>
        void action
          .argument('<word>', 'a word, as list shows it')
          .argument('<meaning>', `its meaning: ${DELIVERIES.join(', ')}`),
      run: map,
    },
    url: { summary: 'the whole address to paste into the portal', declare: () => {}, run: url },
    replay: { summary: 'read all raw webhooks again', declare: () => {}, run: replay },
    void: {
      summary: 'take back everything that an address posted',
      declare: (action) =>
        void action
          .requiredOption('--from <ip>', 'the address that posted the webhooks')
          .option('--yes', 'do not ask'),
      run: takeBack,
    },
  },
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const reader = await context.reader();
  const found = await readWebhookList(reader);
  const { words, shapes, mismatched, unmatched, repeated, contradictions, contradicting } = found;
  const document = webhookListDocument(found, (text) => output.words(text));
  output.result(document, () => {
    const parts = [wordsTable(context, words)];
    // A word without a meaning is not understood either, so the sentence would be wrong below it.
    const isUnknown = words.some(({ mapped }) => mapped === null);
    const open = [
      mismatched.count,
      unmatched.count + unmatched.ambiguous,
      repeated.total,
      contradictions.length,
    ];
    const isOpen = isUnknown || open.some((count) => count > 0);
    if (shapes.length > 0 || !isOpen) parts.push(shapesTable(context, shapes));
    if (mismatched.lastAt !== null) parts.push(mismatchedTable(context, mismatched));
    if (someUnmatched(unmatched)) parts.push(`${unmatchedWords(unmatched)}.`);
    if (repeated.total > 0) parts.push(repeatedTable(context, repeated));
    if (contradictions.length > 0)
      parts.push(
        ...contradictions.map(contradictionWords),
        `Their latest webhooks: ${contradicting.join(' ')}. Did a mapping reject them? Take it back: tuma answers unmap N`,
      );
    return parts.join('\n\n');
  });
  if (unmatched.count > 0) output.note(UNMATCHED_HINT);
  if (words.some(({ mapped }) => mapped === null))
    output.note('Say once what a word means: tuma webhooks map WORD delivered (or undelivered, pending)');
  return EXIT.done;
}

function wordsTable(context: Context, words: UnknownWord[]): string {
  if (words.length === 0) return 'Every word of a report is known.';
  const rows = words.map(({ word, count, lastAt, mapped, webhook }) => [
    context.output.words(word),
    whole(count),
    mapped ?? 'nobody knows',
    shownTime(context, lastAt),
    String(webhook),
  ]);
  return tableOf(context, ['word', 'count', 'means', 'last', 'id'], rows);
}

function shapesTable(context: Context, shapes: WebhookShape[]): string {
  if (shapes.length === 0) return 'Every webhook was understood.';
  const rows = shapes.map(({ kind, shape, count, lastAt, webhook }) => [
    kind.replace('_', ' '),
    whole(count),
    shownTime(context, lastAt),
    String(webhook),
    context.output.words(shape),
  ]);
  return tableOf(context, ['kind', 'count', 'last', 'id', 'fields'], rows);
}

function mismatchedTable(context: Context, { count, lastAt, webhooks }: MismatchedReports): string {
  const headings = ['reports whose id fits a message and whose mobile does not', 'last', 'webhooks'];
  return tableOf(context, headings, [[whole(count), shownTime(context, lastAt ?? 0), webhooks.join(' ')]]);
}

function tableOf({ output }: Context, headings: string[], rows: string[][]): string {
  return renderTable(columnsOf(headings, ['count', 'id']), rows, { padded: output.terminal });
}

async function inspect(context: Context, { args }: Call): Promise<number> {
  const { output } = context;
  const id = Number(args[0]);
  const raw = Number.isSafeInteger(id) ? await (await context.reader()).rawWebhook(id) : null;
  if (raw === null)
    throw new TumaError('not_found', {
      message: `There is no webhook ${args[0]}.`,
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
    return renderTable(columnsOf(['path', 'value']), [...head, ...body], { padded: output.terminal });
  });
  return EXIT.done;
}

async function map(context: Context, { args }: Call): Promise<number> {
  const { output, clock, actor } = context;
  const [word = '', meaning = ''] = args;
  const delivery = meaningOf(meaning);
  const { knows } = await context.webhookReading();
  refuseKnownWord(knows, word);
  const ledger = await ledgerMaybeNew(context);
  const reports = await mapWord({ ledger, knows, word, delivery, now: clock.now(), by: actor });
  output.result(
    { word: output.words(word), delivery, reports },
    () => `"${output.words(word)}" means ${delivery}; ${counted(reports, 'report')} worked out anew.`,
  );
  if (reports === 0)
    output.note('No report has said this word so far; tuma webhooks list shows those that nobody knows.');
  return EXIT.done;
}

function meaningOf(typed: string): Delivery {
  const found = DELIVERIES.find((meaning) => meaning === typed);
  if (found !== undefined) return found;
  const meant = didYouMean(typed, DELIVERIES);
  throw new TumaError('usage', {
    message: `"${printable(typed)}" is no meaning; the meanings are ${DELIVERIES.join(', ')}.`,
    hint: meant === null ? 'tuma webhooks map --help' : `Did you mean ${meant}?`,
    where: '<meaning>',
  });
}

/** The token in it lets anybody post, so only who asks for it gets it. */
async function url({ output, config }: Context): Promise<number> {
  const { url: address, isPublic, isReadable } = await webhookAddress(config);
  output.result({ url: address, public: isPublic }, () => address);
  if (!isPublic)
    output.note(
      'Only this machine reaches that address: set TUMA_PUBLIC_URL to the one that the internet sees.',
    );
  else if (isReadable)
    output.note('Without TLS others can read the token and the reports on their way: use https.');
  return EXIT.done;
}

async function replay(context: Context): Promise<number> {
  // Without a ledger there is nothing to read again, and a new one is not wanted.
  await ledgerOfOld(context);
  const webhooks = await replayAll(context);
  context.output.result({ webhooks }, () => `${counted(webhooks, 'webhook')} read again.`);
  return EXIT.done;
}

/** Reads every raw webhook again, and returns their number. */
async function replayAll(context: Context): Promise<number> {
  const { output, clock, signal } = context;
  const { parse, wishOf } = await context.webhookReading();
  const ledger = await context.ledger();
  const progress = (read: number) => output.progress(`${whole(read)} read`);
  return replayWebhooks({ ledger, clock }, { parse, wishOf, signal, progress });
}

async function takeBack(context: Context, { flags }: Call): Promise<number> {
  const { output, clock, signal, actor } = context;
  const ip = String(flags['from']);
  if (isIP(ip) === 0)
    throw new TumaError('usage', {
      message: `"${printable(ip)}" is no address.`,
      hint: 'Give it as tuma webhooks inspect ID shows it after "from", such as 203.0.113.9.',
      where: '--from',
    });
  const ledger = await ledgerOfOld(context);
  const sure = await confirmYes({
    output,
    signal,
    yes: flags['yes'] === true,
    question: `Take back everything that ${printable(ip)} posted?`,
    hint: 'Add --yes to take back without a terminal.',
  });
  if (!sure) throw new TumaError('declined', { message: 'Nothing was taken back.' });
  const counts = await ledger.voidWebhooks({ ip, since: null, now: clock.now(), by: actor });
  // A reply belongs to its first webhook. Another address may have posted the same STOP, which then counts.
  if (counts.replies > 0) await replayAll(context);
  output.result({ from: ip, ...counts }, () => {
    const { webhooks, reports, replies, uncertain } = counts;
    const taken = `Took back ${counted(webhooks, 'webhook')}: ${counted(reports, 'report')}, ${counted(replies, 'reply')}.`;
    return uncertain === 0 ? taken : `${taken}\n${counted(uncertain, 'message')} uncertain again.`;
  });
  return EXIT.done;
}
