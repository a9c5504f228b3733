import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InheritedNote, NoteFile } from '../../../src/campaign/env.ts';
import { WireNote } from '../../../src/campaign/sending/wire-note.ts';
import { readNote, slotAt } from '../../../src/campaign/sending/wire-format.ts';
import type { RegisteredWorker } from '../../../src/ledger/contracts/records.ts';
import type { Outcome } from '../../../src/ledger/contracts/sending.ts';
import { systemWireFiles } from '../../../src/system/wire-files.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const IDENTITY = { bootId: 'boot', pidNamespace: 'ns', pid: 7, startTicks: '99', roles: 'worker' };

function openLog() {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: object, words: string) => warnings.push(words), error() {} };
  return { log, warnings };
}

function openNote(folder = join(makeTempDir(), 'wire')) {
  const { log, warnings } = openLog();
  const wire = systemWireFiles(folder, log);
  const file = wire.open() as NoteFile;
  const note = new WireNote({ log }, 3, file);
  onTestFinished(() => note.close());
  const worker: RegisteredWorker = {
    ...IDENTITY,
    worker: 3,
    heartbeatAt: 0,
    recorded: 1_000_000,
    claims: 0,
    lock: file.lock,
  };
  return { folder, wire, file, note, warnings, worker, path: join(folder, '3') };
}

type Opened = ReturnType<typeof openNote>;

/** Lets go of the kernel's lock and keeps its file, as a kill does; then takes the note over. */
function inheritKilled({ folder, file, worker }: Pick<Opened, 'folder' | 'file' | 'worker'>): InheritedNote {
  const lock = join(folder, '3.lock');
  const countedAt = existsSync(lock) ? statSync(lock).ctimeMs : 0;
  linkSync(lock, join(folder, 'kept'));
  file.unlock();
  renameSync(join(folder, 'kept'), lock);
  const taken = systemWireFiles(folder, openLog().log).inherit(worker);
  if (taken.state !== 'left') throw new Error(taken.state);
  onTestFinished(() => taken.release({ remove: false }));
  // A kill leaves the lock as it was; to keep its file here changes it.
  return { ...taken, file: taken.file === null ? null : { ...taken.file, countedAt } };
}

function left(opened: Pick<Opened, 'folder' | 'file' | 'worker'>): ReturnType<typeof readNote> {
  const { file } = inheritKilled(opened);
  return file === null ? null : readNote(file, opened.worker);
}

function attempt(seq: number) {
  return { campaign: 1, seq, attempt: 1 };
}

function rejected(seq: number): Outcome {
  return {
    ...attempt(seq),
    sendMs: 1,
    evidence: null,
    to: 'rejected',
    reason: 'credit refused',
    retryHelps: false,
  };
}

describe('the wire note of a worker', () => {
  it('holds a message when flush returns', () => {
    const opened = openNote();
    opened.note.handed(attempt(1));
    opened.note.flush();
    opened.note.handed(attempt(2));
    expect(left(opened)?.handed).toEqual(new Set(['1 1 1']));
  });

  it('holds a verdict in the same turn of the event loop', async () => {
    const opened = openNote();
    opened.note.handed(attempt(1));
    opened.note.flush();
    opened.note.judged(rejected(1), null);
    await new Promise(setImmediate);
    expect(left(opened)?.verdicts).toEqual([{ outcome: rejected(1), pause: null }]);
  });

  it('holds the number of a claim before the ledger hears of it', () => {
    const opened = openNote();
    expect([opened.note.claiming(), opened.note.claiming()]).toEqual([1, 2]);
    const { file } = inheritKilled(opened);
    if (file === null) throw new Error('no note');
    expect(readNote(file, { ...opened.worker, claims: 2 })?.handed).toEqual(new Set());
    expect(readNote(file, { ...opened.worker, claims: 3 })).toBeNull();
  });

  it('is for this user only, and is gone with its lock after an orderly end', () => {
    const { folder, note, path } = openNote();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(existsSync(path)).toBe(true);
    note.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('uses the places of settled messages again, so it never grows', () => {
    const opened = openNote();
    const { note, path, worker } = opened;
    note.handed(attempt(1));
    note.flush();
    for (let seq = 2; seq < 5_000; seq += 1) {
      note.handed(attempt(seq));
      note.judged(rejected(seq), null);
      note.flush();
      note.recorded([attempt(seq)]);
    }
    expect(statSync(path).size).toBeLessThan(slotAt(2));
    note.handed(attempt(5_000));
    note.flush();
    const { file } = inheritKilled(opened);
    if (file === null) throw new Error('no note');
    expect(readNote(file, worker)?.handed).toEqual(new Set(['1 1 1', '1 5000 1']));
    // The ledger of yesterday has recorded fewer verdicts than the note counts on.
    expect(readNote(file, { ...worker, recorded: 100 })).toBeNull();
  });

  it('is removed before a message leaves that it could not take, and comes back when all of them are settled [A20]', () => {
    const opened = openNote();
    const { note, file, warnings, path } = opened;
    note.handed(attempt(1));
    note.flush();
    const write = vi.spyOn(file, 'write').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    note.handed(attempt(2));
    note.flush();
    expect(existsSync(path)).toBe(false);
    note.handed(attempt(3));
    note.judged(rejected(1), null);
    note.flush();
    note.renew();
    expect(existsSync(path)).toBe(false);
    expect(warnings).toHaveLength(1);
    write.mockRestore();
    note.recorded([attempt(1), attempt(2)]);
    note.renew();
    // A new note would call the third one never handed over.
    expect(existsSync(path)).toBe(false);
    note.recorded([attempt(3)]);
    note.renew();
    note.handed(attempt(4));
    note.judged(rejected(4), null);
    note.handed(attempt(5));
    note.flush();
    expect(left(opened)).toEqual({
      handed: new Set(['1 4 1', '1 5 1']),
      verdicts: [{ outcome: rejected(4), pause: null }],
    });
  });

  it('that can neither be written nor removed lets no message leave, then or later [A20]', () => {
    const { note, file } = openNote();
    vi.spyOn(file, 'write').mockImplementation(() => {
      throw new Error('EIO');
    });
    const remove = vi.spyOn(file, 'remove').mockImplementation(() => {
      throw new Error('EROFS');
    });
    note.handed(attempt(1));
    expect(() => note.flush()).toThrow('EROFS');
    expect(() => note.flush()).toThrow('EROFS');
    remove.mockRestore();
  });

  it('is removed when more messages are on the wire than it has places for', () => {
    const { note, path } = openNote();
    for (let seq = 1; seq <= 10_001; seq += 1) note.handed(attempt(seq));
    note.flush();
    expect(existsSync(path)).toBe(false);
  });

  it.each<[string, (path: string, older: Buffer) => void]>([
    ['an older content that was put back at once', (path, older) => writeFileSync(path, older)],
    ['an older beginning', (path, older) => writeFileSync(path, older, { flag: 'r+' })],
    ['nothing in it', (path) => truncateSync(path)],
    ['its end cut off', (path) => truncateSync(path, 50)],
    [
      'its content in another file',
      (path) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('with %s proves nothing [A20]', (_what, damage) => {
    const opened = openNote();
    const { note, path } = opened;
    note.claiming();
    const older = readFileSync(path);
    note.handed(attempt(1));
    note.flush();
    damage(path, older);
    expect(left(opened)).toBeNull();
  });

  it('and its count that were both put back prove nothing, because the count was changed since [A20]', async () => {
    const opened = openNote();
    const { note, path, folder } = opened;
    const lock = join(folder, '3.lock');
    note.claiming();
    const older = readFileSync(path);
    const { mtimeMs: count, ctimeMs: countedAt } = statSync(lock);
    note.handed(attempt(1));
    note.flush();
    writeFileSync(path, older, { flag: 'r+' });
    await vi.waitFor(() => {
      utimesSync(lock, 0, count / 1_000);
      expect(statSync(lock).ctimeMs - countedAt).toBeGreaterThan(40);
    });
    expect(left(opened)).toBeNull();
  });

  it('in a folder that was moved away is emptied there before a message leaves that it cannot take [A20]', () => {
    const { note, file, folder } = openNote();
    note.handed(attempt(1));
    note.flush();
    renameSync(folder, `${folder}-moved`);
    vi.spyOn(file, 'write').mockImplementation(() => {
      throw new Error('EIO');
    });
    note.handed(attempt(2));
    note.flush();
    expect(statSync(join(`${folder}-moved`, '3')).size).toBe(0);
  });

  it('in a folder that was moved away and back knows every message', () => {
    const opened = openNote();
    const { note, folder } = opened;
    note.handed(attempt(1));
    note.flush();
    renameSync(folder, `${folder}-moved`);
    note.handed(attempt(2));
    note.flush();
    renameSync(`${folder}-moved`, folder);
    expect(left(opened)?.handed).toEqual(new Set(['1 1 1', '1 2 1']));
  });

  it('that was damaged while its worker lives is whole again after the next write', () => {
    const opened = openNote();
    const { note, path } = opened;
    note.claiming();
    const older = readFileSync(path);
    note.handed(attempt(1));
    note.flush();
    writeFileSync(path, older);
    note.handed(attempt(2));
    note.flush();
    expect(left(opened)?.handed).toEqual(new Set(['1 1 1', '1 2 1']));
  });
});

describe('what stands in the place of a wire note', () => {
  it.each<[string, (path: string) => void]>([
    ['a file that is far too large', (path) => truncateSync(path, 1_000_000_000)],
    [
      'a pipe',
      (path) => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
    ],
    [
      'a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('proves nothing and holds nothing up: %s', (_, replace) => {
    const opened = openNote();
    opened.note.handed(attempt(1));
    opened.note.flush();
    replace(opened.path);
    const taken = inheritKilled(opened);
    expect(taken.file).toBeNull();
    taken.release({ remove: true });
    expect(existsSync(join(opened.folder, '3.lock'))).toBe(false);
    // The worker itself is dead here, and what stands in its note's place is not its own.
    rmSync(opened.path, { recursive: true, force: true });
  });
});

describe('the lock of a wire note', () => {
  it('is held while the worker lives, and can be taken over once', () => {
    const opened = openNote();
    const { folder, note, worker } = opened;
    const other = systemWireFiles(folder, openLog().log);
    expect(other.inherit(worker)).toEqual({ state: 'held' });
    expect(other.inherit({ ...worker, worker: 4 })).toEqual({ state: 'none' });
    note.handed(attempt(1));
    note.flush();
    const taken = inheritKilled(opened);
    expect(taken.file === null ? null : readNote(taken.file, worker)?.handed).toEqual(new Set(['1 1 1']));
    expect(systemWireFiles(folder, openLog().log).inherit(worker)).toEqual({ state: 'held' });
    taken.release({ remove: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (lock: string) => void]>([
    [
      'a copy of it',
      (lock) => {
        copyFileSync(lock, `${lock}.copy`);
        renameSync(`${lock}.copy`, lock);
      },
    ],
    ['another file', (lock) => (renameSync(lock, `${lock}.old`), writeFileSync(lock, '', { mode: 0o600 }))],
    ['nothing', (lock) => renameSync(lock, `${lock}.old`)],
  ])('in whose place is %s proves no death, though nobody holds that one [A19]', (_what, replace) => {
    const { folder, worker } = openNote();
    replace(join(folder, '3.lock'));
    expect(systemWireFiles(folder, openLog().log).inherit(worker)).toEqual({ state: 'none' });
  });

  it('of a worker that registered without one proves no death', () => {
    const { wire, worker } = openNote();
    expect(wire.inherit({ ...worker, lock: null })).toEqual({ state: 'none' });
  });

  it('in a copied home proves neither a death nor anything about messages [A20]', () => {
    const { folder, note, worker } = openNote();
    note.handed(attempt(1));
    note.flush();
    cpSync(folder, `${folder}-copy`, { recursive: true, preserveTimestamps: true });
    expect(systemWireFiles(`${folder}-copy`, openLog().log).inherit(worker)).toEqual({ state: 'none' });
  });

  it('that cannot be opened proves nothing, and holds up nobody [A20]', () => {
    const { folder, worker } = openNote();
    const other = systemWireFiles(folder, openLog().log);
    const broken = join(folder, '9.lock');
    writeFileSync(broken, 'no database, and longer than the header of one'.repeat(9), { mode: 0o600 });
    const { dev, ino, birthtimeNs } = statSync(broken, { bigint: true });
    expect(other.inherit({ ...worker, worker: 9, lock: `${dev} ${ino} ${birthtimeNs}` })).toEqual({
      state: 'none',
    });
    expect(() => other.clear(new Set([3]))).not.toThrow();
  });

  it('is cleared away when nobody asks about its worker any more', () => {
    const opened = openNote();
    const { folder } = opened;
    const other = systemWireFiles(folder, openLog().log);
    other.clear(new Set());
    expect(readdirSync(folder)).toEqual(['3', '3.lock']);
    inheritKilled(opened).release({ remove: false });
    other.clear(new Set([3]));
    expect(readdirSync(folder)).toEqual(['3', '3.lock']);
    other.clear(new Set([4]));
    expect(readdirSync(folder)).toEqual([]);
  });
});
