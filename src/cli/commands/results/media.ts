import { statSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '../../../domain/text/printable.ts';
import type { MediaFile } from '../../../provider/account/account-api.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { writeOutFile } from '../../files/out-file.ts';
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
    const place = placeOf(context, flags);
    const result = await context.chatMedia({
      id,
      signal: context.signal,
      async keep({ name, bytes }: MediaFile) {
        const file = place(name);
        await writeOutFile(file, bytes, { temporary: context.temporary });
        return file;
      },
    });
    if (result.outcome !== 'saved') throw result.error;
    const { file, bytes, mimeType } = result;
    context.output.result(
      { id, file, bytes, mime_type: mimeType },
      () => `${printable(file)}  (${mimeType}, ${bytes} bytes)`,
    );
    return EXIT.done;
  },
};

/** The path for a file of that name. A file in a folder has its name only after the download began. */
function placeOf({ config }: Context, flags: Call['flags']): (name: string) => string {
  const out = String(flags['out']);
  const isFolder = /[/\\]$/.test(out) || statSync(out, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return (name) => outFlag({ ...flags, out: join(out, name) }, config) ?? '';
  const file = outFlag(flags, config) ?? '';
  return () => file;
}
