import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { PlanRequest } from '../../campaign/planning/plan-job.ts';
import type { Config } from '../../config/config.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Call } from '../command.ts';
import type { Context } from '../context.ts';

/** A file that a command is told to write. */
interface OutRequest {
  /** As the person named it. */
  file: string;
  flag: '--out' | '--rejects';
  config: Pick<Config, 'ledgerFile' | 'profileFile'>;
  /** The files that the command reads: job, template, contacts. */
  reads?: readonly (string | null)[];
  /** A file that exists is replaced, and a link is followed. */
  force: boolean;
}

/** The flag of every command with `--out`. */
export const FORCE = [
  '--force',
  'with --out: replace a file that exists, or the file behind a link',
] as const;

/** The flag of every command with `--rejects`. */
export const FORCE_REJECTS = [
  '--force',
  'with --rejects: replace a file that exists, or the file behind a link',
] as const;

/** The flag of a command with `--out` and `--rejects`. */
export const FORCE_BOTH = [
  '--force',
  'with --out or --rejects: replace a file that exists, or the file behind a link',
] as const;

/** The rejects path without `--rejects`. */
export const DEFAULT_REJECTS = './rejects.csv';

const LEDGER_FILES = ['', '-wal', '-shm', '-journal'];

/** The path that `--out` names, as `outTarget` returns it; null: the flag was not given. */
export function outFlag(
  { out: file, force }: Call['flags'],
  config: OutRequest['config'],
  reads: OutRequest['reads'] = [],
): string | null {
  if (typeof file !== 'string') return null;
  return outTarget({ file, flag: '--out', config, reads, force: force === true });
}

/** A spreadsheet would refuse a text under such a name. */
const WORKBOOKS: ReadonlySet<string> = new Set(['xlsx', 'xls', 'ods']);

/** The format of `--format`, else of the ending of the file, else `otherwise`. */
export function formatFlag<Format extends string>(
  flag: Call['flags'][string],
  { formats, file, otherwise }: { formats: readonly Format[]; file: string | null; otherwise: Format },
): Format {
  const ending = extname(file ?? '')
    .slice(1)
    .toLowerCase();
  if (flag === undefined && WORKBOOKS.has(ending) && !formats.some((format) => format === ending))
    throw new TumaError('usage', {
      message: `This is not written as a workbook, so it cannot be a file that ends with .${ending}.`,
      hint: `It is written as ${formats.join(', ')}.`,
      where: '--out',
    });
  return formats.find((format) => format === (flag ?? ending)) ?? otherwise;
}

/** The rejects path; without `--rejects`, the default name with the next free number. */
export function rejectsFlag(
  { rejects: file, force }: Call['flags'],
  {
    context: { config, temporary },
    reads,
  }: { context: Pick<Context, 'config' | 'temporary'>; reads: readonly string[] },
): PlanRequest['rejectsPlace'] {
  const noteUnfinished = (unfinished: string) => temporary.noteUnfinished(unfinished);
  if (typeof file !== 'string') return { path: DEFAULT_REJECTS, ifTaken: 'number', noteUnfinished };
  const forced = force === true;
  const path = outTarget({ file, flag: '--rejects', config, reads, force: forced });
  return { path, ifTaken: forced ? 'replace' : 'refuse', noteUnfinished };
}

/**
 * The path to write to, without links. Throws `usage` for the ledger, for a file that the command reads, and
 * without `force` for a file or a link that exists. Throws `file_unwritable` for a folder, a device or a
 * pipe.
 */
function outTarget(request: OutRequest): string {
  const { file, flag, force } = request;
  if (file === '-' || file === '')
    throw new TumaError('usage', {
      message: `${flag} needs the name of a file.`,
      hint: `Example: ${flag} list.csv. Only you can read this file, because it may hold phone numbers.`,
      where: flag,
    });
  const target = resolveLinks(file);
  const kept = whyProtected(target, request);
  if (kept !== null) throw refused(file, kept, `Name another file: ${flag} FILE.`);
  const taken = whyTaken(file);
  if (taken === 'it is not a regular file') throw notRegular(file);
  if (taken !== null && !force)
    throw refused(file, taken, 'Name another file, or add --force to replace it.');
  if (taken === 'it is a symbolic link' && lookAt(file, statSync)?.isFile() !== true) throw notRegular(file);
  return target;
}

/** Null: the name is free. */
function whyTaken(file: string): 'it exists' | 'it is a symbolic link' | 'it is not a regular file' | null {
  const found = lookAt(file, lstatSync);
  if (found === null) return null;
  if (found.isSymbolicLink()) return 'it is a symbolic link';
  return found.isFile() ? 'it exists' : 'it is not a regular file';
}

function refused(file: string, reason: string, hint: string): TumaError {
  return new TumaError('usage', { message: `${file} is not written: ${reason}.`, hint, where: file });
}

function notRegular(file: string): TumaError {
  return new TumaError('file_unwritable', {
    message: `${file} is not a regular file.`,
    hint: 'Name a new file.',
    where: file,
  });
}

/** Null: no file is there, or it cannot be read; then the write fails. */
function lookAt(file: string, look: (file: string) => Stats): Stats | null {
  try {
    return look(file);
  } catch {
    return null;
  }
}

/** The path without links, also of a file that does not exist yet. */
function resolveLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return join(realFolder(dirname(file)), basename(file));
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function whyProtected(target: string, { config, reads = [] }: OutRequest): string | null {
  const { ledgerFile, profileFile } = config;
  if (LEDGER_FILES.some((part) => resolveLinks(`${ledgerFile}${part}`) === target)) return 'it is the ledger';
  const isRead = [...reads, profileFile].some((file) => file !== null && resolveLinks(file) === target);
  return isRead ? 'this command reads it' : null;
}
