import { createHash } from 'node:crypto';
import { copyFile, link, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContactsSource } from '../../contacts/contacts-source.ts';
import type { SheetFacts } from '../../contacts/workbook/workbook.ts';

/*
 * A workbook becomes CSV in a process of its own, and a preview is asked for at every pause of a person's typing. So the
 * copy of a sheet stays in the folder of its preparation, until other contacts come or the preparation ends.
 */

/** Which sheet of which workbook, and which of its rows. */
export interface SheetWish {
  folder: string;
  /** Of the workbook. */
  sha256: string;
  sheet: string | null;
  rows: 'all' | 'visible';
}

/** The sheet as CSV: the kept copy, or a new one by `convert`, which is kept. `path` is its name in errors. */
export async function keptSheet(
  wish: SheetWish,
  path: string,
  convert: () => Promise<ContactsSource>,
): Promise<ContactsSource> {
  const { file, facts } = placesOf(wish);
  const workbook = await readFacts(facts);
  if (workbook !== null) return { file, path, workbook, [Symbol.asyncDispose]: async () => undefined };
  const source = await convert();
  try {
    await keep(source, { file, facts });
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

/** The facts come last, and whole: a copy without them is none. A copy that is there may be read now, so it stays. */
async function keep(
  { file: copy, workbook }: ContactsSource,
  { file, facts }: { file: string; facts: string },
): Promise<void> {
  await link(copy, file).catch((error: NodeJS.ErrnoException) => {
    // Another file system has no links to this one. A copy that a kill cuts must not get the name.
    if (error.code !== 'EEXIST') return copyWhole(copy, file);
    return undefined;
  });
  const unfinished = `${facts}.${process.pid}-${performance.now()}`;
  await writeFile(unfinished, JSON.stringify(workbook), { mode: 0o600 });
  await rename(unfinished, facts);
}

async function copyWhole(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${process.pid}-${performance.now()}`;
  await copyFile(from, unfinished);
  await rename(unfinished, to);
}

async function readFacts(file: string): Promise<SheetFacts | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SheetFacts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function placesOf({ folder, sha256, sheet, rows }: SheetWish): { file: string; facts: string } {
  const key = createHash('sha256')
    .update(JSON.stringify([sha256, sheet, rows]))
    .digest('hex')
    .slice(0, 16);
  return { file: join(folder, `sheet-${key}.csv`), facts: join(folder, `sheet-${key}.json`) };
}
