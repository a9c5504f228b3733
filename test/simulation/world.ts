import type { SQLInputValue } from 'node:sqlite';
import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { SendRequest } from '../../src/provider/provider.ts';
import { CLAIM_TTL_MS, HEARTBEAT_MS } from '../../src/domain/protocol-times.ts';
import type { Row, Statement } from '../../src/ledger/connection.ts';
import type { Answer } from './answers.ts';
import { Chance } from './chance.ts';
import { Postman } from './postman.ts';
import { wantedRun } from './replay.ts';
import type { Fate } from './sim-commits.ts';
import type { SimDatabase } from './sim-database.ts';
import { type LedgerTrouble, openSimLedger, SimNote, type SimStore } from './sim-ledger.ts';
import { SimProcess, type Surroundings } from './sim-process.ts';
import { SimProvider } from './sim-provider.ts';
import { SimQueue } from './sim-queue.ts';
import { SimWire } from './sim-wire.ts';
import { Truth } from './truth.ts';
import { VirtualTime } from './virtual-time.ts';

/** 2027-01-15 08:00 UTC. */
const BEGINNING = 1_800_000_000_000;

const SENDING_NOW = `-- ?1 mobile text, ?2 pid bigint, ?3 1: it may be taken bigint
  SELECT m.seq FROM message AS m JOIN worker AS w ON w.id = m.worker
  WHERE m.mobile = ?1 AND w.pid = ?2 AND (m.state = 'sending' AND w.reaped = 0 OR m.actor = 'reaper' AND ?3 = 1)`;
const OPEN = `
  SELECT (SELECT count(*) FROM campaign WHERE state <> 'draft') AS launched,
    (SELECT count(*) FROM message AS m JOIN campaign AS c ON c.n = m.campaign
      WHERE m.state IN ('queued', 'sending') AND c.state <> 'draft')
    + (SELECT count(*) FROM webhook WHERE kind IS NULL) AS open`;

/** How a world begins. */
export interface WorldOptions {
  seed: number;
  database: SimDatabase;
  script: (request: SendRequest, nth: number) => Answer;
  /** Whether a dead process can be proven dead: the same machine, the same container. Else its lease must run out. */
  deathIsProven?: boolean;
  /** Whether what is on the wire can be noted. */
  keepsNotes?: boolean;
  /** Is told all that happens. */
  story?: string[] | undefined;
}

/** Everything outside of the processes under test: time, the provider, Redis, the ledger's database; and who lives. */
export class World implements Surroundings, SimStore {
  readonly time = new VirtualTime();
  readonly chance: Chance;
  readonly truth = new Truth();
  readonly queue: SimQueue;
  readonly postman: Postman;
  readonly provider: SimProvider;
  readonly database: SimDatabase;
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
  /** Decides what becomes of a commit, for whoever breaks some. */
  fateOfCommit: (process: SimProcess, name: string, changed: boolean) => Fate = () => 'made';
  /** How a process dies of its commit. */
  onFatalCommit: (process: SimProcess) => void = (process) => this.kill(process);
  readonly #deathIsProven: boolean;
  readonly #tells: boolean;
  readonly #story: string[] | undefined;
  #lastLook: Promise<unknown> = Promise.resolve();
  readonly #looks = new Map<string, Statement>();
  /** What is open in the ledger; null: something was changed since. */
  #open: Promise<Row[]> | null = null;

  constructor({ seed, database, script, deathIsProven = true, keepsNotes = true, story }: WorldOptions) {
    this.keepsNotes = keepsNotes;
    this.chance = new Chance(seed);
    this.#story = story;
    this.#tells = wantedRun() !== null;
    this.#deathIsProven = deathIsProven;
    this.database = database;
    this.queue = new SimQueue(this);
    this.postman = new Postman(this, this.truth);
    const began = (request: SendRequest, process: SimProcess) =>
      this.time.hold(this.#intended(request, process));
    this.provider = new SimProvider({
      world: this,
      truth: this.truth,
      postman: this.postman,
      script,
      began,
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

  /** One line of the story, which is shown when a single run is replayed. */
  tell(words: string): void {
    if (!this.#tells && this.#story === undefined) return;
    const line = `${this.time.now.toFixed(1).padStart(10)} ${words}`;
    this.#story?.push(line);
    if (this.#tells) process.stdout.write(`${line}\n`);
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

  fate(process: SimProcess, name: string, changed: boolean): Fate {
    if (changed) this.#open = null;
    const fate = this.fateOfCommit(process, name, changed);
    if (fate !== 'made') this.tell(`${process.pid} ${name} is ${fate}`);
    return fate;
  }

  die(process: SimProcess): void {
    this.onFatalCommit(process);
  }

  /** The ledger as a process reaches it. */
  openLedger(process: SimProcess): Ledger {
    return openSimLedger(process, this);
  }

  /** Looks into the ledger. Nothing happens before it has seen. */
  async look(sql: string, ...values: SQLInputValue[]): Promise<Row[]> {
    const statement = this.#looks.get(sql) ?? this.database.look.prepare(sql);
    this.#looks.set(sql, statement);
    // One after the other, for a connection can do no more.
    const seen = this.#lastLook.then(() => statement.all(...values));
    this.#lastLook = seen;
    this.time.hold(seen);
    return await seen;
  }

  /** Nothing queued or on its way, every webhook acknowledged and read. */
  async settled(campaigns: number): Promise<boolean> {
    if (this.postman.open > 0) return false;
    this.#open ??= this.look(OPEN);
    const [seen] = await this.#open;
    return Number(seen?.['launched']) >= campaigns && seen?.['open'] === 0;
  }

  /** Ends the world. */
  async close(): Promise<void> {
    for (const process of this.alive) process.kill();
    await this.time.run(() => true, 0);
    await this.database.close();
  }

  /** I4, and that nobody sends what was taken from him: the message is `sending`, by this very process. */
  async #intended({ mobile }: SendRequest, { pid, suspended }: SimProcess): Promise<void> {
    const last = mobile.slice(-3);
    const { problems } = this.truth;
    if (suspended) return void problems.push(`I4 a suspended process began a request to …${last}`);
    // Whoever lives and is taken for dead because the clock was set on, before he next says that he lives, may send what he had claimed.
    const mayBeTaken = this.time.now - this.clockSetAt <= HEARTBEAT_MS + CLAIM_TTL_MS ? 1 : 0;
    const sending = await this.look(SENDING_NOW, mobile, pid, mayBeTaken);
    if (sending.length > 0) return;
    problems.push(`I4 a request to …${last} began without a committed attempt of process ${pid}`);
  }
}
