import { statSync } from 'node:fs';
import { printable } from '../../../domain/text/printable.ts';
import { mediaError } from '../../launch/account-error.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';

/** `tuma media ID --out F`: only the record's own id decides the download and its name. */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<id>', 'id of the chat message, a UUID')
      .requiredOption('--out <file>', 'the file, or a folder in which it is named by its id and its type')
      .option(...FORCE),
  async run(context, { args, flags }) {
    const id = args[0] ?? '';
    const named = String(flags['out']);
    const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() === true;
    const out = isFolder ? named : (outFlag(flags, context.config) ?? '');
    const api = await context.accountApi();
    const result = await api.downloadMedia({ id, out, signal: context.signal });
    if (result.outcome !== 'saved') throw mediaError(result);
    const { file, bytes, mimeType } = result;
    context.output.result(
      { id, file, bytes, mime_type: mimeType },
      () => `${printable(file)}  (${mimeType}, ${bytes} bytes)`,
    );
    return EXIT.done;
  },
};
