import { replayWebhooks } from '../../campaign/inbound/replay-webhooks.ts';
import { TumaError } from '../../domain/errors.ts';
import {
  pathText,
  readPath,
  type PayloadPaths,
  SHAPE_FIELDS,
  type ShapeField,
} from '../../domain/payload-paths.ts';
import { counted, whole } from '../../domain/money.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../launch/begun-ledger.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { operator } from '../terminal/order.ts';
import type { Output } from '../terminal/output.ts';

/* `tuma webhooks map --id-path … --status-path …` and `void --shape N`: reports whose fields have other names. */

/** The flags that point, as commander names them. */
const FLAGS: Readonly<Record<ShapeField, string>> = {
  id: 'idPath',
  status: 'statusPath',
  reason: 'reasonPath',
  mobile: 'mobilePath',
  network: 'networkPath',
  time: 'timePath',
};

/** True when any flag points at a field of a report. */
export function pointsByPath({ flags }: Call): boolean {
  return SHAPE_FIELDS.some((field) => typeof flags[FLAGS[field]] === 'string');
}

/** Writes a shape down, reads everything again by it, and tells how many reports it was. Throws `usage`. */
export async function mapShape(context: Context, call: Call): Promise<number> {
  const { output, clock } = context;
  const paths = shapeOf(call);
  const ledger = await ledgerMaybeNew(context);
  const shape = await ledger.addPayloadMapping({ paths, now: clock.now(), by: operator() });
  const { webhooks, reports } = await replayAll(context);
  output.result({ shape, paths: shownPaths(output, paths), webhooks, reports }, () => {
    const found =
      reports === 0
        ? 'No stored webhook has a report there.'
        : `Now ${counted(reports, 'report')} can be read by path.`;
    return `Shape ${shape} holds from now on. ${found}`;
  });
  if (reports === 0)
    output.note(
      `Look at one with tuma webhooks inspect ID; take it back with tuma webhooks void --shape ${shape}`,
    );
  return EXIT.done;
}

/** Takes a shape back and reads everything again without it. Throws `not_found`. */
export async function voidPayloadMapping(context: Context, text: string): Promise<number> {
  const { output, clock } = context;
  const shape = Number(text);
  const ledger = await ledgerOfOld(context);
  const voided =
    Number.isSafeInteger(shape) &&
    (await ledger.voidPayloadMapping({ shape, now: clock.now(), by: operator() }));
  if (!voided)
    throw new TumaError('not_found', {
      message: `There is no shape ${text}.`,
      hint: 'tuma webhooks list names them.',
      where: '--shape',
    });
  const { webhooks } = await replayAll(context);
  output.result({ shape, webhooks }, () => {
    return `Shape ${shape} no longer holds; ${counted(webhooks, 'webhook')} read again.`;
  });
  return EXIT.done;
}

/** The paths of a shape as the screen may show them: a stranger may name a field by a number. */
export function shownPaths(output: Output, paths: PayloadPaths): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([field, path]) => [field, output.words(path)]));
}

/** Reads every raw webhook again. Answers how many, and how many reports a shape found in them. */
export async function replayAll(context: Context): Promise<{ webhooks: number; reports: number }> {
  const { output, clock, signal } = context;
  const { parse, wishOf } = await context.webhookReading();
  const ledger = await context.ledger();
  let reports = 0;
  const webhooks = await replayWebhooks(
    { ledger, clock },
    {
      parse,
      wishOf,
      signal,
      progress: (read) => output.progress(`${whole(read)} read`),
      seen: ({ pointed = 0 }) => {
        reports += pointed;
      },
    },
  );
  return { webhooks, reports };
}

function shapeOf({ flags }: Call): PayloadPaths {
  const paths = SHAPE_FIELDS.flatMap((field) => {
    const given = flags[FLAGS[field]];
    return typeof given === 'string' ? [[field, pathOf(field, given)] as const] : [];
  });
  const shape = Object.fromEntries(paths) as Partial<PayloadPaths>;
  const { id, status } = shape;
  if (id === undefined || status === undefined)
    throw new TumaError('usage', {
      message: `A shape needs the path of the message id and that of the status.`,
      hint: 'tuma webhooks map --id-path data.msgId --status-path data.state',
      where: id === undefined ? '--id-path' : '--status-path',
    });
  return { ...shape, id, status };
}

function pathOf(field: ShapeField, text: string): string {
  const steps = readPath(text);
  if (steps !== null) return pathText(steps);
  throw new TumaError('usage', {
    message: `"${text}" is no path.`,
    hint: 'Write it as tuma webhooks inspect shows it, such as data.msgId or results[0].status.',
    where: `--${field}-path`,
  });
}
