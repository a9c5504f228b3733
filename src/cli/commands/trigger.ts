import { randomBytes } from 'node:crypto';
import { Argument } from 'commander';
import { webhookToken } from '../../config-token.ts';
import { TumaError } from '../../domain/errors.ts';
import { parseMobile } from '../../domain/mobile.ts';
import type { Call, CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';

const ANSWER_MS = 10_000;
/** What networks say most often of a message that arrived. */
const USUAL_WORD = 'DeliveredToTerminal';

/** A number that belongs to nobody who is told of it: what a reply comes from when none is given. */
const USUAL_MOBILE = '254700000000';
const USUAL_TEXT = 'Asante!';

/** `tuma trigger report [MESSAGEID] [WORD]`, `tuma trigger reply [MOBILE] [TEXT]`: to one's own collector. */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<what>', 'what to post').choices(['report', 'reply']))
      .argument('[of]', "the report's messageid, or the number that replies; made up when left out")
      .argument('[words]', `the network's word (${USUAL_WORD}), or the text of the reply (${USUAL_TEXT})`),
  run: (context, call) => (call.args[0] === 'reply' ? reply(context, call) : report(context, call)),
};

async function report(context: Context, { args }: Call): Promise<number> {
  const messageid = args[1] ?? `test-${randomBytes(6).toString('hex')}`;
  const description = args[2] ?? USUAL_WORD;
  const status = await post(context, { messageid, description });
  context.output.result(
    { messageid, description, status },
    () => `The collector took the report of ${messageid} (${description}).`,
  );
  return EXIT.done;
}

/** The record of API document 2.5. */
async function reply(context: Context, { args }: Call): Promise<number> {
  const { config, clock, output } = context;
  const read = parseMobile(args[1] ?? USUAL_MOBILE, config.country);
  if (!read.ok) throw new TumaError('usage', { message: `That is no number that can reply: ${read.detail}` });
  const event = 'sms.received';
  const shortcode = config.sender ?? 'TUMA';
  const received_at = formatInstant(clock.now());
  const message = args[2] ?? USUAL_TEXT;
  const status = await post(context, { event, mobile: read.mobile, shortcode, message, received_at });
  const mobile = output.number(read.mobile);
  output.result(
    { event, mobile, shortcode, received_at, status },
    () => `The collector took the reply of ${mobile} to ${shortcode}.`,
  );
  return EXIT.done;
}

/** ISO 8601 with an offset, as the document shows it. */
function formatInstant(at: number): string {
  return new Date(at).toISOString().replace('Z', '+00:00');
}

async function post({ config, signal }: Context, body: object): Promise<number> {
  const token = await webhookToken(config);
  const origin = collectorOrigin(config);
  const answer = await fetch(`${origin}/webhooks/${token.reveal()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  }).catch(() => null);
  if (answer?.ok === true) return answer.status;
  throw new TumaError('not_found', {
    message:
      answer === null
        ? `No collector answers at ${origin}.`
        : `What listens at ${origin} answered ${answer.status}.`,
    hint:
      answer === null
        ? 'Start one: tuma serve'
        : 'Its token may be another one: is it a collector of this TUMA_HOME?',
  });
}

/** Where the collector of this machine is reached: an address that means "all of them" is reached by loopback. */
export function collectorOrigin({ host, port }: { host: string; port: number }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
