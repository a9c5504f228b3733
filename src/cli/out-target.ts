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
import type { Config } from '../config.ts';
import { TumaError } from '../domain/errors.ts';

/** A file that a command is told to write. */
export interface OutRequest {
  /** As the person named it. */
  file: string;
  flag: '--out' | '--rejects';
  config: Pick<Config, 'home' | 'ledgerFile' | 'profileFile' | 'stateFolder'>;
  /** What the command reads: job, template, contacts. */
  reads?: readonly (string | null)[];
}

const SQLITE_MAGIC = 'SQLite format 3\0';
const LEDGER_FILES = ['', '-wal', '-shm', '-journal'];
/** What Tuma keeps in its home, by the first name below it. A home may be the folder that a person works in. */
const KEPT_IN_HOME =
  /^(?:ledger\.db(?:-wal|-shm|-journal)?|media|redis\.(?:sock|lock|json|log)|sandbox(?:\.json)?|tmp|webhook-token)$/;
/** What Tuma keeps in the state folder, which a home may be, too: a file a ledger, called by its id, and one a home. */
const KEPT_IN_STATE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|home-[\da-f]{64})$/;
/** Links to links: what leads further leads in a circle. */
const MOST_LINKS = 40;
const READ_BY_NAME = /(?:\.ya?ml|(?:^|\/)\.env[^/]*)$/i;

/**
 * The path to write to: what a symbolic link leads to, else the file as it was named. Throws `usage` for a file that Tuma keeps
 * or reads, that is there or is still to come, for jobs, settings and databases, and `file_unwritable` for what is no regular
 * file, which a rename would replace. Every other file is overwritten.
 */
export function outTarget(request: OutRequest): string {
  const { file, flag } = request;
  if (file === '-' || file === '')
    throw new TumaError('usage', {
      message: `${flag} needs the name of a file.`,
      hint: `Such as ${flag} list.csv: a list of numbers goes to a file that only you can read.`,
      where: flag,
    });
  const found = lookAt(file);
  if (found !== null && !found.isFile())
    throw new TumaError('file_unwritable', {
      message: 'It is no regular file.',
      hint: 'Name a new file, or an older list that may be overwritten.',
      where: file,
    });
  const target = whereItLeads(file);
  const reason = whyKept(target, found, request);
  if (reason === null) return isLink(file) ? target : file;
  throw new TumaError('usage', {
    message: `${file} is not ${found === null ? 'written' : 'overwritten'}: ${reason}.`,
    hint: `Name another file: ${flag} FILE.`,
    where: file,
  });
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
  return startsWith(target, SQLITE_MAGIC) ? 'it is a database' : null;
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

function startsWith(file: string, magic: string): boolean {
  const bytes = Buffer.alloc(magic.length);
  try {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
  return bytes.toString('latin1') === magic;
}
