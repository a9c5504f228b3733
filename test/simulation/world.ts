import { copyFileSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SendRequest } from '../../src/provider/provider.ts';
import { CLAIM_TTL_MS, HEARTBEAT_MS } from '../../src/domain/protocol-times.ts';
import { migrate } from '../../src/ledger/sqlite/migrate.ts';
import { makeTempDir } from '../support/temp-home.ts';
import type { Answer } from './answers.ts';
import { Chance } from './chance.ts';
import { Postman } from './postman.ts';
import { wantedRun } from './replay.ts';
import { connect, type LedgerTrouble, SimNote } from './sim-ledger.ts';
import { SimProcess, type Surroundings } from './sim-process.ts';
import { SimProvider } from './sim-provider.ts';
import { SimQueue } from './sim-queue.ts';
import { SimWire } from './sim-wire.ts';
import { Truth } from './truth.ts';
import { VirtualTime } from './virtual-time.ts';

/** 2027-01-15 08:00 UTC. */
const BEGINNING = 1_800_000_000_000;

const SENDING_NOW = `
  SELECT 1 FROM message AS m JOIN worker AS w ON w.id = m.worker
  WHERE m.mobile = ? AND w.pid = ? AND (m.state = 'sending' AND w.reaped = 0 OR m.actor = 'reaper' AND ? = 1)`;
const OPEN = `
  SELECT (SELECT count(*) FROM message AS m JOIN campaign AS c ON c.n = m.campaign
      WHERE m.state IN ('queued', 'sending') AND c.state <> 'draft')
    + (SELECT count(*) FROM webhook WHERE kind IS NULL) AS count`;
const LAUNCHED = "SELECT count(*) AS count FROM campaign WHERE state <> 'draft'";

/** How a world begins. */
export interface WorldOptions {
  seed: number;
  script: (request: SendRequest, nth: number) => Answer;
  /** Whether a dead process can be proven dead: the same machine, the same container. Else its lease must run out. */
  deathIsProven?: boolean;
  /** Whether what is on the wire can be noted. */
  keepsNotes?: boolean;
}

/** Everything outside of the processes under test: time, the provider, Redis, the ledger's file; and who lives. */
export class World implements Surroundings {
  readonly time = new VirtualTime();
  readonly chance: Chance;
  readonly truth = new Truth();
  readonly queue: SimQueue;
  readonly postman: Postman;
  readonly provider: SimProvider;
  readonly file: string;
  /** A connection of the test's own, which looks and never writes. */
  readonly database: DatabaseSync;
  readonly processes: SimProcess[] = [];
  wallOffset = BEGINNING;
  trouble: LedgerTrouble = null;
  readonly note = new SimNote();
  readonly keepsNotes: boolean;
  readonly wire = new SimWire(this);
  /** When the wall clock was set last, in monotonic milliseconds. */
  clockSetAt = -Infinity;
  kills = 0;
  /** Effects so far, for whoever decides where to crash. */
  onEffect: (process: SimProcess, name: string, changed: boolean) => void = () => undefined;
  readonly #deathIsProven: boolean;
  readonly #tells: boolean;
  readonly #sendingNow: StatementSync;
  readonly #open: StatementSync;
  readonly #launched: StatementSync;

  constructor({ seed, script, deathIsProven = true, keepsNotes = true }: WorldOptions) {
    this.keepsNotes = keepsNotes;
    this.chance = new Chance(seed);
    this.#tells = wantedRun() !== null;
    this.#deathIsProven = deathIsProven;
    this.file = `${makeTempDir()}/ledger.db`;
    copyFileSync(emptyLedger, this.file);
    this.database = connect(this.file);
    this.#sendingNow = this.database.prepare(SENDING_NOW);
    this.#open = this.database.prepare(OPEN);
    this.#launched = this.database.prepare(LAUNCHED);
    this.queue = new SimQueue(this);
    this.postman = new Postman(this, this.truth);
    const intended = (request: SendRequest, process: SimProcess) => this.#intended(request, process);
    this.provider = new SimProvider({
      world: this,
      truth: this.truth,
      postman: this.postman,
      script,
      intended,
    });
  }

  get wall(): number {
    return Math.floor(this.time.now + this.wallOffset);
  }

  get alive(): SimProcess[] {
    return this.processes.filter(({ alive }) => alive);
  }

  effect(process: SimProcess, name: string, changed: boolean): void {
    if (changed) this.tell(`${process.pid} ${name}`);
    this.onEffect(process, name, changed);
  }

  /** One line of the story, when a single run is replayed. */
  tell(words: string): void {
    if (this.#tells) process.stdout.write(`${this.time.now.toFixed(1).padStart(10)} ${words}\n`);
  }

  /** A process is born. */
  spawn(): SimProcess {
    const process = new SimProcess(this, 100 + this.processes.length);
    this.processes.push(process);
    return process;
  }

  kill(process: SimProcess): void {
    this.kills += 1;
    process.kill();
  }

  fateOf(pid: number): 'alive' | 'dead' | 'unknown' {
    const process = this.processes.find((other) => other.pid === pid);
    if (process?.alive === true) return 'alive';
    return this.#deathIsProven ? 'dead' : 'unknown';
  }

  /** Nothing queued or on its way, every webhook acknowledged and read. */
  settled(campaigns: number): boolean {
    if (this.postman.open > 0) return false;
    if (Number(this.#launched.get()?.['count']) < campaigns) return false;
    return Number(this.#open.get()?.['count']) === 0;
  }

  /** Ends the world; the file stays until the test file is done. */
  close(): void {
    for (const process of this.alive) process.kill();
    this.database.close();
  }

  /** I4, and that nobody sends what was taken from him: the message is `sending`, by this very process. */
  #intended({ mobile }: SendRequest, { pid, suspended }: SimProcess): string | null {
    const last = mobile.slice(-3);
    if (suspended) return `I4 a suspended process began a request to …${last}`;
    // Whoever lives and is taken for dead because the clock was set on, before he next says that he lives, may send what he had claimed.
    const mayBeTaken = this.time.now - this.clockSetAt <= HEARTBEAT_MS + CLAIM_TTL_MS ? 1 : 0;
    if (this.#sendingNow.get(mobile, pid, mayBeTaken) !== undefined) return null;
    return `I4 a request to …${last} began without a committed attempt of process ${pid}`;
  }
}

const emptyLedger = await makeEmptyLedger();

/** With its schema, so that not every world migrates one. */
async function makeEmptyLedger(): Promise<string> {
  const file = `${makeTempDir()}/empty.db`;
  const database = connect(file);
  await migrate(database);
  database.close();
  return file;
}
