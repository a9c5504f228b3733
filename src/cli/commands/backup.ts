import { existsSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import { removeOld } from '../../system/folder.ts';
import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit.ts';

/** What follows the name of the backup in that of a copy, and of its journal. */
const PARTIAL = /^\d+\.[\da-f]{8}\.partial(?:-journal)?$/;
/** A copy that is under way is written to all the time. */
const KILLED_AFTER_MS = 86_400_000;

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
    await removeKilled(file);
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

/** What a kill left of copies to this name (ledger/sqlite/backup.ts) holds full numbers, and a disk full of them takes no backup. */
async function removeKilled(file: string): Promise<void> {
  const begins = `${basename(file)}.`;
  await removeOld(dirname(file), {
    named: (name) => name.startsWith(begins) && PARTIAL.test(name.slice(begins.length)),
    before: Date.now() - KILLED_AFTER_MS,
  });
}

/** A copy of the ledger holds full numbers: it goes to no pipe, and to no file that was named by mistake. */
function fileNamed(name: string | undefined): string {
  if (name !== undefined && name !== '' && name !== '-') return name;
  throw new TumaError('usage', {
    message: 'A backup needs the name of a file.',
    hint: 'Such as tuma backup ledger-backup.db: it goes to a new file that only you can read.',
  });
}
