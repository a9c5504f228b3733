import { statSync } from 'node:fs';
import { ledgerThere } from '../../../config/rescued-ledger.ts';
import { printable } from '../../../domain/text/printable.ts';
import { mediaError } from '../../launch/account-error.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';

/**
 * `tuma media ID --out F`: only the record's own id decides the download and its name. The webhook of the
 * message may say which of a few endings it gets.
 */
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
    const result = await api.downloadMedia({
      id,
      out,
      declared: await declaredFile(context, id),
      replace: flags['force'] === true,
      maxBytes: context.config.mediaMaxBytes,
      signal: context.signal,
    });
    if (result.outcome !== 'saved') throw mediaError(result);
    const { file, bytes, mimeType } = result;
    context.output.result(
      { id, file, bytes, mime_type: mimeType },
      () => `${printable(file)}  (${mimeType}, ${bytes} bytes)`,
    );
    return EXIT.done;
  },
};

/** What the webhook of the message said of its file. Nothing without a ledger, which a download does not need. */
async function declaredFile(context: Context, id: string) {
  if (!ledgerThere(context.config)) return {};
  const detail = (await (await context.reader()).chatDetail(id)) ?? {};
  const { mime_type: mimeType = '', file_name: fileName = '', file_size: fileSize = '' } = detail;
  return { mimeType, fileName, fileSize };
}
