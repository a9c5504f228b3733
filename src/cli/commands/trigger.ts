import { randomBytes } from 'node:crypto';
import { Argument } from 'commander';
import { webhookToken } from '../../config-token.ts';
import { TumaError } from '../../domain/errors.ts';
import type { CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';

const ANSWER_MS = 10_000;
/** What networks say most often of a message that arrived. */
const USUAL_WORD = 'DeliveredToTerminal';

/** `tuma trigger report [MESSAGEID] [WORD]`: what the provider would post, to one's own collector. */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<what>', 'what to post').choices(['report']))
      .argument('[messageid]', 'of the message that it is about; one that nobody knows when left out')
      .argument('[word]', "the network's word", USUAL_WORD),
  async run(context, { args }) {
    const messageid = args[1] ?? `test-${randomBytes(6).toString('hex')}`;
    const description = args[2] ?? USUAL_WORD;
    const status = await post(context, { messageid, description });
    context.output.result(
      { messageid, description, status },
      () => `The collector took the report of ${messageid} (${description}).`,
    );
    return EXIT.done;
  },
};

async function post({ config, signal }: Context, report: object): Promise<number> {
  const token = await webhookToken(config);
  const origin = collectorOrigin(config);
  const answer = await fetch(`${origin}/webhooks/${token.reveal()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
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
