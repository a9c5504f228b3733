import { randomBytes } from 'node:crypto';
import type { Config } from '../../../config/config.ts';
import { webhookToken } from '../../../config/webhook-token.ts';
import { TumaError } from '../../../domain/errors.ts';
import { mobileArgument } from '../../arguments/parse-argument.ts';
import { reachableOrigin } from '../../../domain/listen-error.ts';
import type { Call, CommandGroup } from '../../command.ts';
import type { Context } from '../../context.ts';
import { ask } from '../../../runtime/health/http-get.ts';
import { EXIT } from '../../exit.ts';

const ANSWER_MS = 10_000;
/** The usual report word for a delivered message. */
const USUAL_WORD = 'DeliveredToTerminal';

/** A number that belongs to nobody who is told of it: what a reply comes from when none is given. */
const USUAL_MOBILE = '254700000000';
const USUAL_TEXT = 'Asante!';
const ASK_IT =
  'Is it the collector of this TUMA_HOME, at its TUMA_PORT and with its TUMA_PROFILE? The log of `tuma serve` says why it refuses.';

/** `tuma trigger report [MESSAGEID] [WORD]`, `tuma trigger reply [MOBILE] [TEXT]`: to one's own collector. */
export const command: CommandGroup = {
  actions: {
    report: {
      summary: 'post a delivery report',
      declare: (action) =>
        void action
          .argument('[messageid]', 'the message that it is about; made up when left out')
          .argument('[word]', "the network's word", USUAL_WORD),
      run: report,
    },
    reply: {
      summary: "post a customer's reply",
      declare: (action) =>
        void action
          .argument('[mobile]', 'the number that replies', USUAL_MOBILE)
          .argument('[text]', 'the text of the reply', USUAL_TEXT),
      run: reply,
    },
  },
};

async function report(context: Context, { args: [given, description] }: Call): Promise<number> {
  const messageid = given ?? `test-${randomBytes(6).toString('hex')}`;
  const status = await post(context, { messageid, description });
  context.output.result(
    { messageid, description, status },
    () => `The collector took the report of ${messageid} (${description}).`,
  );
  return EXIT.done;
}

/** The record of API document 2.5. */
async function reply(context: Context, { args: [number, message] }: Call): Promise<number> {
  const { config, clock, output } = context;
  const sender = mobileArgument(number, config);
  const event = 'sms.received';
  const shortcode = config.sender ?? 'TUMA';
  // ISO 8601 with an offset, as the document shows it.
  const received_at = new Date(clock.now()).toISOString().replace('Z', '+00:00');
  const status = await post(context, { event, mobile: sender, shortcode, message, received_at });
  const mobile = output.number(sender);
  output.result(
    { event, mobile, shortcode, received_at, status },
    () => `The collector took the reply of ${mobile} to ${shortcode}.`,
  );
  return EXIT.done;
}

async function post(context: Context, body: object): Promise<number> {
  const { config, signal } = context;
  const { answer: expected } = await context.webhookReading();
  const token = await webhookToken(config);
  const origin = collectorOrigin(config);
  const answer = await ask(`${origin}/webhooks/${token.reveal()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  }).catch((error: Error) => error);
  if (answer instanceof Error) throw unanswered(origin, answer);
  const { status } = answer;
  if (status === 200 && answer.body === expected) return status;
  throw new TumaError('collector_failed', {
    message: `What listens at ${origin} answered ${status}${status === 200 ? ', but not as a collector does' : ''}.`,
    hint: ASK_IT,
  });
}

function collectorOrigin(config: Config): string {
  if (config.port !== 0) return reachableOrigin(config);
  throw new TumaError('config_invalid', {
    message: 'TUMA_PORT is 0: the collector took a free port, and nobody else knows which.',
    hint: 'Give the port that `tuma serve` named: --port N',
    where: 'TUMA_PORT',
  });
}

function unanswered(origin: string, { name }: Error): TumaError {
  const late = name === 'TimeoutError';
  return new TumaError('collector_failed', {
    message: late
      ? `What listens at ${origin} did not answer within ${ANSWER_MS / 1_000} s.`
      : `No collector answers at ${origin}.`,
    hint: late ? ASK_IT : 'Start one: tuma serve',
  });
}
