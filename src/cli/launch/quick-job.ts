import { readFile, rm, writeFile } from 'node:fs/promises';
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
 * Runs a plan or a launch with its job file: the argument, or for contacts and a message a job that is written beside
 * them. The same command finds the same job again. Where it fails, no new job file stays, because the next message
 * would find it in its way. Throws `usage` for a missing message, and for another job in the same place.
 */
export async function withJobFile<Result>(
  context: Context,
  call: Call,
  run: (file: string) => Promise<Result>,
): Promise<Result> {
  const quick = quickJob(context, call);
  if (quick === null) return run(call.args[0] ?? '');
  const { file, text } = quick;
  if (!(await writeOnce(file, text))) return run(file);
  try {
    const result = await run(file);
    context.output.note(`Written: ${file}. It is the same campaign from now on.`);
    return result;
  } catch (error) {
    await removeUnchanged(file, text);
    throw error instanceof TumaError ? withoutFile(error, quick) : error;
  }
}

/** A job file to be, and the contacts beside it. */
interface QuickJob {
  file: string;
  text: string;
  contacts: string;
}

/** The job of contacts and a message; null: the argument is a job file. */
function quickJob({ config }: Context, { args, flags }: Call): QuickJob | null {
  const given = args[0] ?? '';
  const { message, kind = 'promotional' } = flags;
  const isContacts = CONTACTS.test(given);
  if (typeof message !== 'string') {
    if (isContacts)
      throw usage(`${given} holds contacts; a campaign needs a text, too.`, '--message "Hi <<name>>"');
    return null;
  }
  if (!isContacts)
    throw usage('--message goes with contacts, not with a job file.', 'tuma plan contacts.csv --message …');
  if (!KINDS.includes(String(kind))) throw usage(`--kind is ${KINDS.join(' or ')}.`, '--kind transactional');
  const stem = basename(given, extname(given));
  const job = [
    `name: ${JSON.stringify(nameOf(stem))}`,
    `kind: ${String(kind)}`,
    ...(config.sender === null ? [] : [`sender: ${JSON.stringify(config.sender)}`]),
    `contacts: ${JSON.stringify(`./${basename(given)}`)}`,
    `message: ${JSON.stringify(message)}`,
  ];
  return { file: join(dirname(given), `${stem}.yaml`), text: `${job.join('\n')}\n`, contacts: given };
}

/** Removes the job file, unless somebody has changed it since. */
async function removeUnchanged(file: string, text: string): Promise<void> {
  const now = await readFile(file, 'utf8').catch(() => null);
  if (now === text) await rm(file, { force: true }).catch(() => undefined);
}

/** The error without a place in a file that is gone: the text came by its flag. */
function withoutFile(error: TumaError, { file, contacts }: QuickJob): TumaError {
  const { code, message, hint, advice, where, cause } = error;
  if (where === null || !(where === file || where.startsWith(`${file}:`))) return error;
  const place = code === 'template_invalid' ? '--message' : contacts;
  return new TumaError(code, { message, hint, advice, where: place, cause });
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
