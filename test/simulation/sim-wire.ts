import type { InheritedNote, NoteFile, WireFiles } from '../../src/campaign/env.ts';
import type { SimProcess } from './sim-process.ts';
import type { LedgerTrouble } from './sim-ledger.ts';

/** What the folder of the notes needs to know of its world. */
interface Disk {
  readonly trouble: LedgerTrouble;
  /** Whether this machine can keep notes at all. */
  readonly keepsNotes: boolean;
}

/** The wire notes on the disk of the simulation, and the kernel's locks on them, which end with their processes. */
export class SimWire {
  /** How often a note could not be written. */
  failures = 0;
  readonly #disk: Disk;
  readonly #notes = new Map<number, string>();
  readonly #locks = new Map<number, SimProcess>();

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

  #open(process: SimProcess): NoteFile {
    let own = 0;
    const change = (name: string, text: () => string) => {
      if (!process.alive) return;
      if (this.#disk.trouble === 'ledger_full') {
        this.failures += 1;
        throw new Error('the disk is full');
      }
      this.#notes.set(own, text());
      process.did(name);
    };
    return {
      replace: (worker, text) => {
        if (process.alive) this.#locks.set((own = worker), process);
        change('wire.begun', () => text);
      },
      append: (text) => change('wire.noted', () => (this.#notes.get(own) ?? '') + text),
      remove: () => void (process.alive && this.#notes.delete(own)),
      unlock: () => void (process.alive && this.#locks.delete(own)),
    };
  }

  #inherit(process: SimProcess, worker: number): ReturnType<WireFiles['inherit']> {
    const holder = this.#locks.get(worker);
    if (holder === undefined) return { state: 'none' };
    if (holder.alive) return { state: 'held' };
    this.#locks.set(worker, process);
    const release: InheritedNote['release'] = ({ remove }) => {
      if (!process.alive) return;
      if (remove) this.#notes.delete(worker);
      // A lock that is let go of and stays is one of nobody.
      if (remove) this.#locks.delete(worker);
      else this.#locks.set(worker, holder);
    };
    return { state: 'left', text: this.#notes.get(worker) ?? null, release };
  }

  #clear(known: ReadonlySet<number>): void {
    for (const [worker, holder] of this.#locks)
      if (!known.has(worker) && !holder.alive) {
        this.#locks.delete(worker);
        this.#notes.delete(worker);
      }
  }
}
