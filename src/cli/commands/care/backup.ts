import { existsSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TumaError } from '../../../domain/errors.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';

/** `tuma backup FILE` */
export const command: CommandModule = {
  declare: (command) =>
    void command.argument('<file>', 'a new file; it holds full numbers and only you can read it'),
  async run(context, { args }) {
    const file = resolve(fileNamed(args[0]));
    if (existsSync(file)) {
      throw new TumaError('file_unwritable', {
        message: 'The file exists already.',
        hint: 'A backup never overwrites: choose another name.',
        where: file,
      });
    }
    await context.reader();
    await (await context.ledger()).backup(file);
    await chmod(file, 0o600);
    const { size } = await stat(file);
    context.output.result(
      { file, bytes: size },
      () => `The ledger is copied to ${file} (${(size / 1e6).toFixed(1)} MB).`,
    );
    return EXIT.done;
  },
};

/** A copy of the ledger holds full numbers: it goes to no pipe, and to no file that was named by mistake. */
function fileNamed(name: string | undefined): string {
  if (name !== undefined && name !== '' && name !== '-') return name;
  throw new TumaError('usage', {
    message: 'A backup needs the name of a file.',
    hint: 'Such as tuma backup ledger-backup.db: it goes to a new file that only you can read.',
  });
}
