import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { Chance } from './chance.ts';
import { type Life, startLife } from './life.ts';
import type { RandomSetup } from './random-setup.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

type Verb = 'pause' | 'resume' | 'cancel' | 'retry';
const PERSON = { by: 'operator' };
/** A request may be on its way for so long; only then a person can say that it never arrived. */
const SURELY_OVER_MS = 60_000;
const UNCERTAIN = `-- ?1 before bigint
  SELECT m.campaign, c.name, m.mobile FROM message AS m JOIN campaign AS c ON c.n = m.campaign
  WHERE m.state = 'uncertain' AND m.claimed_at < ?1 AND c.state <> 'canceled'`;

/** The processes of a world: who dies is born again, until the end. And a person with a terminal of his own. */
export class Crew {
  /** What may have left messages uncertain: see `Limits`. */
  interruptions = 0;
  /** Those of them that were kills. */
  kills = 0;
  clockJumps = 0;
  readonly #world: World;
  readonly #chance: Chance;
  readonly #setup: RandomSetup;
  readonly #lives = new Set<Life>();
  /** On their way to an orderly end. */
  readonly #leaving = new Set<Life>();
  #person: Ledger | null = null;
  #closing = false;

  constructor(world: World, chance: Chance, setup: RandomSetup) {
    this.#world = world;
    this.#chance = chance;
    this.#setup = setup;
    for (let count = 0; count < setup.processes; count += 1) this.#start();
  }

  killOne(): void {
    const life = this.#someone();
    if (life !== null) this.#kill(life);
  }

  killAll(): void {
    for (const life of this.#lives) this.#kill(life);
  }

  suspendOne(ms: number): void {
    const life = this.#someone();
    if (life === null) return;
    this.interruptions += 1;
    life.process.suspend();
    this.#world.time.in(ms, () => life.process.wake());
  }

  /** An orderly end (S1), and another process soon after. */
  stopOne(): void {
    const life = this.#someone();
    if (life === null || life.process.suspended) return;
    this.#lives.delete(life);
    this.#leaving.add(life);
    // A ledger that does not take its farewell makes it end as a kill does.
    void life.stop().then(
      () => this.#end(life),
      () => this.#kill(life),
    );
  }

  /** A process dies by itself. */
  died(process: SimProcess): void {
    const life = [...this.#lives, ...this.#leaving].find((each) => each.process === process);
    if (life !== undefined) return this.#kill(life);
    process.kill();
    this.#person = null;
  }

  /** Whoever lives may be taken for dead by the others until his next heartbeat. */
  clockJumped(): void {
    this.clockJumps += 1;
    this.#world.clockSetAt = this.#world.time.now;
    this.interruptions += this.#setup.processes;
  }

  async person(verb: Verb): Promise<void> {
    const ledger = this.#terminal();
    const change = { ...PERSON, now: this.#world.wall };
    for (const n of await this.#campaigns()) {
      if (verb === 'pause') await ledger.pause(n, { ...change, reason: 'operator' }).catch(later);
      else await ledger[verb](n, change).catch(later);
    }
  }

  async setRate(ratePerSecond: number | null): Promise<void> {
    const change = { ...PERSON, now: this.#world.wall, ratePerSecond };
    for (const n of await this.#campaigns()) await this.#terminal().setRate(n, change).catch(later);
  }

  /** Another sender while messages of the former one are under way. */
  async changeSender(): Promise<void> {
    const ledger = this.#terminal();
    const change = { ...PERSON, now: this.#world.wall };
    for (const n of await this.#campaigns()) {
      await ledger.pause(n, { ...change, reason: 'sender' }).catch(later);
      await ledger.resume(n, { ...change, sender: 'OTHER' }).catch(later);
    }
  }

  /** A person looks into the provider's portal, which shows the truth, and decides what is uncertain. */
  async resolve(): Promise<void> {
    const ledger = this.#terminal();
    const now = this.#world.wall;
    const uncertain = await this.#world.look(UNCERTAIN, now - SURELY_OVER_MS);
    for (const { campaign, name, mobile } of uncertain) {
      const taken = this.#world.truth
        .acceptedOf(String(mobile))
        .some(({ text }) => text.endsWith(String(name)));
      const decision = taken ? 'sent' : 'not_sent';
      const order = { ...PERSON, now, decision, before: now, mobile: String(mobile) } as const;
      await ledger.resolve(Number(campaign), order).catch(later);
    }
  }

  /** The machine goes down: every process ends, the person's too. */
  powerOff(): void {
    for (const process of this.#world.alive) process.kill();
    this.#lives.clear();
    this.#person = null;
  }

  powerOn(): void {
    for (let count = 0; count < this.#setup.processes; count += 1) this.#start();
  }

  /** A person accepts the loss, as `--accept-loss` does. */
  async acceptLoss(): Promise<void> {
    await this.#terminal().acceptLoss({ ...PERSON, now: this.#world.wall });
  }

  /** Everybody who sleeps wakes, everything that the outside did is over. */
  heal(): void {
    for (const { process } of this.#lives) process.wake();
  }

  /** Resumes what is paused; a budget that is too small ends in a cancel. */
  async seeThrough(): Promise<void> {
    const ledger = this.#terminal();
    const paused = await ledger.pausedCampaigns().catch(() => []);
    for (const { n, reason } of paused) {
      const change = { ...PERSON, now: this.#world.wall };
      await ledger[reason === 'budget' ? 'cancel' : 'resume'](n, change).catch(later);
    }
  }

  /** Ends every process as a SIGTERM does. */
  async stop(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#lives].map((life) => life.stop().catch(() => life.process.kill())));
  }

  #someone(): Life | null {
    return this.#lives.size === 0 ? null : this.#chance.pick([...this.#lives]);
  }

  #start(): void {
    if (!this.#closing) this.#lives.add(startLife(this.#world, this.#setup));
  }

  #kill(life: Life): void {
    this.interruptions += 1;
    this.kills += 1;
    this.#lives.delete(life);
    this.#end(life);
  }

  #end(life: Life): void {
    const { process } = life;
    this.#leaving.delete(life);
    if (process.alive) process.kill();
    this.#world.time.in(this.#chance.between(50, 9_000), () => this.#start());
  }

  async #campaigns(): Promise<number[]> {
    const found = await this.#world.look("SELECT n FROM campaign WHERE state <> 'draft'");
    return found.map(({ n }) => Number(n));
  }

  #terminal(): Ledger {
    this.#person ??= this.#world.openLedger(this.#world.spawn());
    return this.#person;
  }
}

/** What a person is refused now is tried another time, or not. */
function later(): void {}
