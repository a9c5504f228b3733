import { once } from 'node:events';
import type { CommandModule } from '../commands.ts';
import { EXIT } from '../exit.ts';

/** `tuma sandbox [--faults 2% / F.yaml]`: runs until a signal. */
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
        `The sandbox runs; put the lines above into .env. Truth log: ${truthFile ?? 'none'}. Ctrl-C ends it.`,
      );
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await sandbox.close();
    }
    return EXIT.done;
  },
};
