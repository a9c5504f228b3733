import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NoteFile, Processes } from '../../../src/campaign/env.ts';
import { WireNote } from '../../../src/campaign/sending/wire-note.ts';
import { readNote } from '../../../src/campaign/sending/wire-record.ts';
import type { RegisteredWorker } from '../../../src/ledger/records.ts';
import type { Outcome } from '../../../src/ledger/sending.ts';
import { systemWireFiles } from '../../../src/system/wire-files.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const IDENTITY = { bootId: 'boot', pidNamespace: 'ns', pid: 7, startTicks: '99', roles: 'worker' };
const WORKER: RegisteredWorker = { ...IDENTITY, worker: 3, heartbeatAt: 0, recorded: 1_000_000 };
const PROCESSES: Processes = { self: () => IDENTITY, fate: () => 'dead' };

function openLog() {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: object, words: string) => warnings.push(words), error() {} };
  return { log, warnings };
}

function openNote(folder = join(makeTempDir(), 'wire')) {
  const { log, warnings } = openLog();
  const wire = systemWireFiles(folder, log);
  const file = wire.open() as NoteFile;
  const note = new WireNote({ processes: PROCESSES, log }, WORKER.worker, file);
  onTestFinished(() => note.close());
  return { folder, wire, file, note, warnings, path: join(folder, '3') };
}

/** What the note says without the first line, which names the file itself. */
function textIn(folder: string): string {
  const text = readFileSync(join(folder, '3'), 'utf8');
  return text.slice(text.indexOf('\n') + 1);
}

function left(folder: string): ReturnType<typeof readNote> {
  return readNote(textIn(folder), WORKER);
}

function attempt(seq: number) {
  return { campaign: 1, seq, attempt: 1 };
}

function rejected(seq: number): Outcome {
  return { ...attempt(seq), sendMs: 1, evidence: null, to: 'rejected', reason: 'no', retryHelps: false };
}

describe('the wire note of a worker', () => {
  it('holds a message when flush returns, and its verdict in the same turn of the event loop', async () => {
    const { folder, note } = openNote();
    note.handed(attempt(1));
    expect(left(folder)?.handed).toEqual(new Set());
    note.flush();
    expect(left(folder)?.handed).toEqual(new Set(['1 1 1']));
    note.judged(rejected(1), null);
    await new Promise(setImmediate);
    expect(left(folder)?.verdicts).toEqual([{ outcome: rejected(1), pause: null }]);
  });

  it('is for this user only, and is gone with its lock after an orderly end', () => {
    const { folder, note, path } = openNote();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(existsSync(path)).toBe(true);
    note.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('begins anew when it has grown long, with what the ledger does not know settled', () => {
    const { folder, note, path } = openNote();
    note.handed(attempt(1));
    note.flush();
    let longest = 0;
    for (let seq = 2; seq < 25_000; seq += 1) {
      note.handed(attempt(seq));
      note.judged(rejected(seq), null);
      note.flush();
      note.recorded([attempt(seq)]);
      longest = Math.max(longest, statSync(path).size);
    }
    expect(longest).toBeLessThan(1_100_000);
    const found = left(folder);
    expect(found?.handed.has('1 1 1')).toBe(true);
    expect(found?.handed.has('1 2 1')).toBe(false);
    // The ledger of yesterday has recorded fewer verdicts than the note counts on.
    expect(readNote(textIn(folder), { ...WORKER, recorded: 100 })).toBeNull();
  });

  it('is removed before a message leaves that it could not take, and comes back with all of them [A20]', () => {
    const { folder, note, file, warnings, path } = openNote();
    note.handed(attempt(1));
    note.flush();
    const append = vi.spyOn(file, 'append').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    note.handed(attempt(2));
    note.flush();
    expect(existsSync(path)).toBe(false);
    note.handed(attempt(3));
    note.judged(rejected(1), null);
    note.flush();
    expect(existsSync(path)).toBe(false);
    expect(warnings).toHaveLength(1);
    append.mockRestore();
    note.renew();
    expect(left(folder)).toEqual({
      handed: new Set(['1 1 1', '1 2 1', '1 3 1']),
      verdicts: [{ outcome: rejected(1), pause: null }],
    });
  });

  it('that can neither be written nor removed lets no message leave [A20]', () => {
    const { note, file } = openNote();
    vi.spyOn(file, 'append').mockImplementation(() => {
      throw new Error('EIO');
    });
    vi.spyOn(file, 'remove').mockImplementationOnce(() => {
      throw new Error('EROFS');
    });
    note.handed(attempt(1));
    expect(() => note.flush()).toThrow('EROFS');
  });
});

describe('the lock of a wire note', () => {
  it('is held while the worker lives, and can be taken over once', () => {
    const { folder, file, note } = openNote();
    const other = systemWireFiles(folder, openLog().log);
    expect(other.inherit(3)).toEqual({ state: 'held' });
    expect(other.inherit(4)).toEqual({ state: 'none' });
    note.handed(attempt(1));
    note.flush();
    // What a kill does to it.
    file.unlock();
    writeFileSync(join(folder, '3.lock'), '', { mode: 0o600 });
    const taken = other.inherit(3);
    if (taken.state !== 'left') throw new Error(taken.state);
    expect(readNote(taken.text ?? '', WORKER)?.handed).toEqual(new Set(['1 1 1']));
    expect(systemWireFiles(folder, openLog().log).inherit(3)).toEqual({ state: 'held' });
    taken.release({ remove: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (folder: string) => string]>([
    [
      'a copy of the home',
      (folder) => {
        cpSync(folder, `${folder}-copy`, { recursive: true, preserveTimestamps: true });
        return `${folder}-copy`;
      },
    ],
    [
      'a note that is empty',
      (folder) => {
        truncateSync(join(folder, '3'));
        return folder;
      },
    ],
    [
      'a note that was put back',
      (folder) => {
        cpSync(join(folder, '3'), join(folder, 'kept'), { preserveTimestamps: true });
        renameSync(join(folder, 'kept'), join(folder, '3'));
        return folder;
      },
    ],
  ])('of %s proves no more than the death [A20]', (_what, change) => {
    const { folder, file, note } = openNote();
    note.handed(attempt(1));
    note.flush();
    file.unlock();
    writeFileSync(join(folder, '3.lock'), '', { mode: 0o600 });
    const taken = systemWireFiles(change(folder), openLog().log).inherit(3);
    if (taken.state !== 'left') throw new Error(taken.state);
    expect(taken.text).toBeNull();
    taken.release({ remove: true });
  });

  it('that cannot be opened proves nothing, and holds up nobody [A20]', () => {
    const { folder } = openNote();
    const other = systemWireFiles(folder, openLog().log);
    writeFileSync(join(folder, '9.lock'), 'no database, and longer than the header of one'.repeat(9), {
      mode: 0o600,
    });
    expect(other.inherit(9)).toEqual({ state: 'none' });
    expect(() => other.clear(new Set([3]))).not.toThrow();
  });

  it('is cleared away when nobody asks about its worker any more', () => {
    const { folder, file } = openNote();
    const other = systemWireFiles(folder, openLog().log);
    other.clear(new Set());
    expect(readdirSync(folder)).toEqual(['3', '3.lock']);
    file.unlock();
    writeFileSync(join(folder, '3.lock'), '', { mode: 0o600 });
    other.clear(new Set([3]));
    expect(readdirSync(folder)).toEqual(['3', '3.lock']);
    other.clear(new Set([4]));
    expect(readdirSync(folder)).toEqual([]);
  });
});
