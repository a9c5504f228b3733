import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Command } from 'commander';
import { TumaError } from '../../domain/errors.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';

/* A campaign without YAML: `tuma plan contacts.csv --message "Hi <<name>>"` writes its job file. */

/** Files that are contacts, and no job. */
const CONTACTS = /\.(?:csv|tsv|txt|xlsx|xls|ods)$/i;
const KINDS = ['promotional', 'transactional'];

/** Declares the flags of a campaign without a job file. */
export function declareQuickJob(command: Command): void {
  command
    .option('--message <text>', 'with contacts in place of a job: the text, such as "Hi <<name>>"')
    .option('--kind <kind>', `with --message: ${KINDS.join(' or ')} (default: promotional)`);
}

/**
 * The path of the job file: the argument, or for contacts and a message a job that is written beside them. The same
 * command finds the same job again. Throws `usage` for a missing message, and for another job in the same place.
 */
export async function jobFileOf({ config, output }: Context, { args, flags }: Call): Promise<string> {
  const given = args[0] ?? '';
  const { message, kind = 'promotional' } = flags;
  const isContacts = CONTACTS.test(given);
  if (typeof message !== 'string') {
    if (isContacts)
      throw usage(`${given} holds contacts; a campaign needs a text, too.`, '--message "Hi <<name>>"');
    return given;
  }
  if (!isContacts)
    throw usage('--message goes with contacts, not with a job file.', 'tuma plan contacts.csv --message …');
  if (!KINDS.includes(String(kind))) throw usage(`--kind is ${KINDS.join(' or ')}.`, '--kind transactional');
  const stem = basename(given, extname(given));
  const file = join(dirname(given), `${stem}.yaml`);
  const job = [
    `name: ${JSON.stringify(nameOf(stem))}`,
    `kind: ${String(kind)}`,
    ...(config.sender === null ? [] : [`sender: ${JSON.stringify(config.sender)}`]),
    `contacts: ${JSON.stringify(`./${basename(given)}`)}`,
    `message: ${JSON.stringify(message)}`,
  ];
  if (await writeOnce(file, `${job.join('\n')}\n`))
    output.note(`Written: ${file}. It is the same campaign from now on.`);
  return file;
}

/** Letters and digits at the beginning, as a job file wants them. */
function nameOf(stem: string): string {
  const name = stem.replaceAll(/[^\p{L}\p{M}\p{N} ._-]/gu, ' ').replace(/^[^\p{L}\p{N}]+/u, '');
  return name.trim().slice(0, 64) || 'campaign';
}

/** False: the file has this text already. */
async function writeOnce(file: string, text: string): Promise<boolean> {
  const before = await readFile(file, 'utf8').catch(() => null);
  if (before === text) return false;
  if (before !== null)
    throw usage(
      `${file} is there already, with another job.`,
      `Launch it (tuma plan ${file}), or rename it.`,
    );
  await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new TumaError('file_unwritable', {
      message: `The job file cannot be written (${code}).`,
      where: file,
    });
  });
  return true;
}

function usage(message: string, hint: string): TumaError {
  return new TumaError('usage', { message, hint });
}
