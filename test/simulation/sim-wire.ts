import type { InheritedNote, LeftFile, NoteFile, WireFiles } from '../../src/campaign/env.ts';
import type { Chance } from './chance.ts';
import type { SimProcess } from './sim-process.ts';
import type { LedgerTrouble } from './sim-ledger.ts';

/** What the folder of the notes needs to know of its world. */
interface Disk {
  readonly trouble: LedgerTrouble;
  /** Whether this machine can keep notes at all. */
  readonly keepsNotes: boolean;
  /** The wall clock in milliseconds, by which the file system dates a change. */
  readonly wall: number;
}

interface SimFile {
  identity: string;
  bytes: Buffer;
  changedAt: number;
  /** Its latest status blocks, the present one last, for whoever puts one back. */
  former: Buffer[];
}

interface SimLock {
  identity: string;
  /** The process that the kernel knows as its holder; null: nobody ever locked this file. */
  holder: SimProcess | null;
  counted: number;
  countedAt: number;
}

/** The ways in which a note is damaged. Each takes the file as it is at this moment. */
const DAMAGES = {
  cut: (file: SimFile, chance: Chance) => file.bytes.subarray(0, chance.whole(0, file.bytes.length - 1)),
  emptied: () => Buffer.alloc(0),
  'put back': ({ bytes, former }: SimFile, chance: Chance) => {
    const older = former.length === 0 ? bytes : chance.pick(former);
    // Alone, as a copy from before the first verdict, or over the verdicts of today.
    return chance.of(0.5) ? older : Buffer.concat([older, bytes.subarray(older.length)]);
  },
  flipped: (file: SimFile, chance: Chance) => {
    const bytes = Buffer.from(file.bytes);
    // Half of the flips hit the status block, which is a small part of the file.
    const at = chance.whole(0, (chance.of(0.5) ? Math.min(400, bytes.length) : bytes.length) - 1);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << chance.whole(0, 7)), at);
    return bytes;
  },
  zeroed: (file: SimFile, chance: Chance) => {
    const from = chance.whole(0, Math.min(400, file.bytes.length - 1));
    const to = Math.min(file.bytes.length, from + chance.pick([12, 64, 512, 4_096]));
    return Buffer.from(file.bytes).fill(0, from, to);
  },
} as const;

/** Older content is what reads best, so it comes more often. */
const HOW = [
  'cut',
  'emptied',
  'put back',
  'put back',
  'put back',
  'flipped',
  'zeroed',
  'swapped',
  'locked anew',
] as const;
const MOST_FORMER = 12;

/** The wire notes on the disk of the simulation, and the kernel's locks on them, which end with their processes. */
export class SimWire {
  /** How often a note could not be written. */
  failures = 0;
  /** How often a note or a lock was damaged. */
  damages = 0;
  readonly #disk: Disk;
  readonly #notes = new Map<number, SimFile>();
  readonly #locks = new Map<number, SimLock>();
  #made = 0;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** The notes as one process reaches them. */
  client(process: SimProcess): WireFiles {
    return {
      open: () => (this.#disk.keepsNotes ? this.#open(process) : null),
      inherit: (worker) => this.#inherit(process, worker),
      clear: (known) => this.#clear(known),
    };
  }

  /** Damages a note or its lock, of a dead worker if there is one. Answers how; null: there is no note. */
  damage(chance: Chance): string | null {
    const notes = [...this.#notes].filter(([, { bytes }]) => bytes.length > 0);
    if (notes.length === 0) return null;
    const left = notes.filter(([worker]) => this.#locks.get(worker)?.holder?.alive !== true);
    const [worker, file] = chance.pick(left.length > 0 ? left : notes);
    const how = chance.pick(HOW);
    this.damages += 1;
    if (how === 'locked anew') this.#locks.set(worker, this.#newLock(null));
    else if (how === 'swapped') this.#swap(file, chance.pick(notes)[1]);
    else this.#overwrite(file, DAMAGES[how](file, chance));
    return `${how} ${worker}`;
  }

  #swap(file: SimFile, other: SimFile): void {
    const bytes = Buffer.from(file.bytes);
    this.#overwrite(file, other.bytes);
    this.#overwrite(other, bytes);
  }

  #overwrite(file: SimFile, bytes: Buffer): void {
    file.bytes = Buffer.from(bytes);
    file.changedAt = this.#disk.wall;
  }

  #newLock(holder: SimProcess | null): SimLock {
    return {
      identity: `lock ${(this.#made += 1)}`,
      holder,
      counted: this.#disk.wall / 1_000,
      countedAt: this.#disk.wall,
    };
  }

  #open(process: SimProcess): NoteFile {
    const lock = this.#newLock(process);
    let own = 0;
    let file: SimFile | null = null;
    const change = (name: string, effect: () => void) => {
      if (!process.alive) return;
      if (this.#disk.trouble === 'ledger_full') {
        this.failures += 1;
        throw new Error('the disk is full');
      }
      effect();
      process.did(name);
    };
    return {
      lock: lock.identity,
      now: () => this.#disk.wall,
      begin: (worker) => {
        if (process.alive) this.#locks.set((own = worker), lock);
        const begun: SimFile = {
          identity: `note ${(this.#made += 1)}`,
          bytes: Buffer.alloc(0),
          changedAt: this.#disk.wall,
          former: [],
        };
        change('wire.begun', () => void this.#notes.set(own, (file = begun)));
        return begun.identity;
      },
      write: (bytes, at) => {
        change('wire.noted', () => file !== null && this.#write(file, bytes, at));
      },
      count: (writes) =>
        change('wire.counted', () => {
          lock.counted = writes;
          lock.countedAt = this.#disk.wall;
        }),
      remove: () => void (process.alive && this.#notes.delete(own)),
      unlock: () => void (process.alive && this.#locks.get(own) === lock && this.#locks.delete(own)),
    };
  }

  #write(file: SimFile, bytes: Buffer, at: number): void {
    if (at === 0) file.former = [...file.former.slice(1 - MOST_FORMER), Buffer.from(bytes)];
    if (file.bytes.length < at + bytes.length)
      file.bytes = Buffer.concat([file.bytes, Buffer.alloc(at + bytes.length - file.bytes.length)]);
    bytes.copy(file.bytes, at);
    file.changedAt = this.#disk.wall;
  }

  #inherit(
    process: SimProcess,
    { worker, lock: locked }: Parameters<WireFiles['inherit']>[0],
  ): ReturnType<WireFiles['inherit']> {
    const lock = this.#locks.get(worker);
    if (lock === undefined || lock.identity !== locked) return { state: 'none' };
    const { holder } = lock;
    if (holder?.alive === true) return { state: 'held' };
    lock.holder = process;
    const release: InheritedNote['release'] = ({ remove }) => {
      if (!process.alive) return;
      if (remove) this.#notes.delete(worker);
      // A lock that is let go of and stays is one of nobody.
      if (remove) this.#locks.delete(worker);
      else lock.holder = holder;
    };
    return { state: 'left', file: this.#left(worker, lock), release };
  }

  #left(worker: number, { counted, countedAt }: SimLock): LeftFile | null {
    const file = this.#notes.get(worker);
    return file === undefined ? null : { ...file, counted, countedAt };
  }

  #clear(known: ReadonlySet<number>): void {
    for (const [worker, { holder }] of this.#locks)
      if (!known.has(worker) && holder?.alive !== true) {
        this.#locks.delete(worker);
        this.#notes.delete(worker);
      }
  }
}
