import {
  closeSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { PlanRequest } from '../../campaign/planning/plan-job.ts';
import type { Config } from '../../config/config.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Call } from '../command.ts';
import { type Beginning, BEGINNING_BYTES } from './own-files.ts';

/** A file that a command is told to write. */
export interface OutRequest {
  /** As the person named it. */
  file: string;
  flag: '--out' | '--rejects';
  config: Pick<Config, 'home' | 'ledgerFile' | 'profileFile' | 'stateFolder'>;
  /** What the command reads: job, template, contacts. */
  reads?: readonly (string | null)[];
  /** How a file begins that Tuma wrote and may write over; null: no file that exists. */
  written: readonly Beginning[] | null;
  /** A link is followed, and a file of somebody else is written over. */
  force?: boolean;
}

/** The flag of every command with `--out`. */
export const FORCE = [
  '--force',
  'with --out: write through a link, and over a file that Tuma did not write',
] as const;

/** The flag of every command with `--rejects`. */
export const FORCE_REJECTS = [
  '--force',
  'with --rejects: write through a link, and over a file that exists',
] as const;

/** Where rejects of contacts go when nobody says where. */
export const DEFAULT_REJECTS = './rejects.csv';

const SQLITE_MAGIC = 'SQLite format 3\0';
const LEDGER_FILES = ['', '-wal', '-shm', '-journal'];
/** What Tuma keeps in its home, by the first name below it. A home may be the folder that a person works in. */
const KEPT_IN_HOME =
  /^(?:ledger\.db(?:-wal|-shm|-journal)?|ledger\.rescued-[^/]*|redis\.(?:sock|lock|json|log)|sandbox(?:\.json)?|tmp|webhook-token|wire)$/;
/** What Tuma keeps in the state folder, which a home may be, too: a file a ledger, called by its id, and one a home. */
const KEPT_IN_STATE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|home-[\da-f]{64})$/;
/** Links to links: what leads further leads in a circle. */
const MOST_LINKS = 40;
const READ_BY_NAME = /(?:\.ya?ml|(?:^|\/)\.env[^/]*)$/i;

/** The path that `--out` names, as `outTarget` answers it; null: the flag was not given. */
export function outFlag(
  flags: Call['flags'],
  request: Pick<OutRequest, 'config' | 'written'>,
): string | null {
  const { out: file, force } = flags;
  return typeof file === 'string'
    ? outTarget({ ...request, file, flag: '--out', force: force === true })
    : null;
}

/** Where the rejects go of a command that reads `reads`. Throws as `outTarget` does. */
export function rejectsFlag(
  { rejects: file, force }: Call['flags'],
  { reads, config, otherwise = DEFAULT_REJECTS }: RejectsRequest,
): PlanRequest['rejectsPlace'] {
  if (typeof file !== 'string') return { path: otherwise, ifTaken: 'number' };
  const forced = force === true;
  const path = outTarget({ file, flag: '--rejects', config, reads, written: null, force: forced });
  return { path, ifTaken: forced ? 'replace' : 'refuse' };
}

interface RejectsRequest extends Required<Pick<OutRequest, 'config' | 'reads'>> {
  /** The first name where `--rejects` is not given; where it exists the next number of it is taken. */
  otherwise?: string;
}

/**
 * The path to write to: the file as it was named, or with `force` what a symbolic link leads to. Throws `usage` for a file that
 * Tuma keeps or reads, that is there or is still to come, for jobs, settings and databases, and `file_unwritable` for what is no
 * regular file, which a rename would replace. Without `force` it also throws `usage` for a link and for a file that Tuma did not
 * write. The writing renames a file into place, so a link that comes after this look is replaced and not followed.
 */
export function outTarget(request: OutRequest): string {
  const { file, flag, force = false } = request;
  const found = regularFile(request);
  const target = whereItLeads(file);
  const kept = whyKept(target, found, request);
  if (kept !== null) throw refused({ file, found, reason: kept, hint: `Name another file: ${flag} FILE.` });
  const reason = force ? null : whyNotOurs(found, request);
  if (reason !== null) throw refused({ file, found, reason, hint: 'Name another file, or add --force.' });
  return isLink(file) ? target : file;
}

/** What is there; null: nothing is. Throws for what no file can be written over. */
function regularFile({ file, flag }: OutRequest): Stats | null {
  if (file === '-' || file === '')
    throw new TumaError('usage', {
      message: `${flag} needs the name of a file.`,
      hint: `Such as ${flag} list.csv: a list of numbers goes to a file that only you can read.`,
      where: flag,
    });
  const found = lookAt(file);
  if (found === null || found.isFile()) return found;
  throw new TumaError('file_unwritable', {
    message: 'It is no regular file.',
    hint: 'Name a new file, or an older list that may be overwritten.',
    where: file,
  });
}

interface Refusal {
  file: string;
  found: Stats | null;
  reason: string;
  hint: string;
}

function refused({ file, found, reason, hint }: Refusal): TumaError {
  const message = `${file} is not ${found === null ? 'written' : 'overwritten'}: ${reason}.`;
  return new TumaError('usage', { message, hint, where: file });
}

/** Whether two names lead to one file, also to one that is still to come. */
export function isSameFile(one: string, other: string): boolean {
  return whereItLeads(one) === whereItLeads(other) || isSame(lookAt(one), lookAt(other));
}

/** Null: nothing is there, or what is there cannot be looked at, which the writing will tell. */
function lookAt(file: string): Stats | null {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** The path without links, also of a file that is still to come. */
function whereItLeads(file: string, links = MOST_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    const path = join(realFolder(dirname(file)), basename(file));
    return links > 0 && isLink(path) ? whereItLeads(leadsTo(path), links - 1) : path;
  }
}

/** Not normalised: `..` behind a link is the folder above the one that it leads to. */
function leadsTo(link: string): string {
  const to = readlinkSync(link);
  return isAbsolute(to) ? to : `${dirname(link)}/${to}`;
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return resolve(folder);
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // The writing will tell.
    return false;
  }
}

function whyKept(target: string, found: Stats | null, { config, reads = [] }: OutRequest): string | null {
  const { home, ledgerFile, profileFile, stateFolder } = config;
  const isOneOf = (files: readonly (string | null)[]) =>
    files.some((file) => file !== null && isSameFile(file, target));
  if (isOneOf(LEDGER_FILES.map((part) => `${ledgerFile}${part}`))) return 'it is the ledger';
  if (isOneOf([...reads, profileFile])) return 'it is read by this command';
  if (KEPT_IN_HOME.test(nameBelow(home, target))) return 'Tuma keeps it';
  if (stateFolder !== null && KEPT_IN_STATE.test(nameBelow(stateFolder, target))) return 'Tuma keeps it';
  if (found === null) return null;
  if (READ_BY_NAME.test(target)) return 'it is a job or holds settings';
  return beginningOf(target).startsWith(SQLITE_MAGIC) ? 'it is a database' : null;
}

/** An empty file is nobody's, because `mktemp` makes one; but where nothing is written over, it stays. */
function whyNotOurs(found: Stats | null, { file, written }: OutRequest): string | null {
  if (isLink(file)) return 'it is a symbolic link';
  if (found === null) return null;
  if (written === null) return 'it exists';
  if (found.size === 0) return null;
  const text = beginningOf(file);
  return written.some((begins) => begins(text)) ? null : 'nothing in it shows that this command wrote it';
}

function isSame(one: Stats | null, other: Stats | null): boolean {
  return one !== null && other !== null && one.ino === other.ino && one.dev === other.dev;
}

/** The first name on the way from a folder down to a file, which may lead through links; empty: it is elsewhere. */
function nameBelow(folder: string, file: string): string {
  const wanted = lookAt(folder);
  for (let at = file; dirname(at) !== at; at = dirname(at))
    if (isSame(wanted, lookAt(dirname(at)))) return basename(at);
  return '';
}

/** The first characters of a file; none where it cannot be read. */
function beginningOf(file: string): string {
  const bytes = Buffer.alloc(BEGINNING_BYTES);
  try {
    const handle = openSync(file, 'r');
    try {
      return bytes.toString('utf8', 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}
