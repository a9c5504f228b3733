import { once } from 'node:events';
import type { TumaError } from '../../../domain/errors.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { RunningSandbox } from '../../../runtime/contracts.ts';
import { EXIT } from '../../exit.ts';

/** `tuma sandbox [--faults 2% / F.yaml]`: runs until a signal, or until its truth log cannot be written. */
export const command: CommandModule = {
  stopsItself: true,
  logLevel: 'info',
  declare: (command) =>
    void command.option(
      '--faults <what>',
      'how often something goes wrong (2%), or a YAML script of faults by number',
    ),
  async run(context, { flags }) {
    const { output, signal } = context;
    const faults = typeof flags['faults'] === 'string' ? flags['faults'] : null;
    const sandbox = await context.startSandbox({ faults });
    const { url, apiKey, apiSecret, apiToken, truthFile } = sandbox;
    try {
      output.result(
        { url, api_key: apiKey, api_secret: apiSecret, api_token: apiToken, truth: truthFile },
        () =>
          [
            `TUMA_MESSAGING_URL=${url}`,
            `TUMA_API_KEY=${apiKey}`,
            `TUMA_API_SECRET=${apiSecret}`,
            `TUMA_BASE_URL=${url}`,
            `TUMA_API_TOKEN=${apiToken}`,
          ].join('\n'),
      );
      output.note(
        `The sandbox runs; ${settingsWords(context, url)}. Truth log: ${truthFile}. Ctrl-C ends it.`,
      );
      output.note(reportsWords(sandbox));
      const failure = await untilEnd(sandbox, signal);
      if (failure !== null) throw failure;
    } finally {
      await sandbox.close();
    }
    return EXIT.done;
  },
};

/** What to do with the printed settings. */
function settingsWords({ config, output }: Context, url: string): string {
  if (config.messagingUrl === url) return 'the settings of this folder lead to it already';
  if (output.terminal) return 'put the lines above into .env';
  return 'its settings are what it printed: they belong into .env, as with `tuma sandbox > .env`';
}

function reportsWords({ url, collector }: RunningSandbox): string {
  if (collector !== null) return `Its delivery reports go to the collector at ${collector}.`;
  return `TUMA_PORT is 0, so nobody knows where the collector listens: delivery reports wait until you say so (docs/sandbox.md: ${url}/sandbox/webhook), or set TUMA_PORT.`;
}

/** Null: a signal asked it to stop. */
async function untilEnd({ closed }: RunningSandbox, signal: AbortSignal): Promise<TumaError | null> {
  if (signal.aborted) return null;
  return Promise.race([closed, once(signal, 'abort').then(() => null)]);
}
