import { readFileSync } from 'node:fs';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Cabled } from './namespaces.ts';
import { type Office, SECRETS, TUMA } from './office.ts';

const STARTING_MS = 300_000;

/** A machine of the office that serves one role. */
export class Machine {
  readonly name: string;
  readonly #office: Office;
  readonly #place: Cabled;
  readonly #role: 'worker' | 'collector';
  #env: Record<string, string>;
  #process: TestProcess | null = null;

  constructor(name: string, at: { office: Office; place: Cabled; role: 'worker' | 'collector' }) {
    this.name = name;
    this.#office = at.office;
    this.#place = at.place;
    this.#role = at.role;
    this.#env = at.office.settings(at.role);
  }

  /** Resolves when it serves. It is started again and again, as systemd does: Postgres may be away. */
  async start(): Promise<void> {
    const [command, args] = this.#place.inside([TUMA, 'serve', '--role', this.#role]);
    await waitFor(
      async () => {
        this.#process = startProcess(command, args, { env: this.#env });
        await this.#process.printed(/serving/, STARTING_MS);
        return true;
      },
      { timeoutMs: STARTING_MS, what: `${this.name} to serve` },
    );
  }

  /** As by a loss of power: whatever runs on it ends at once. */
  async kill(): Promise<void> {
    process.kill(this.#first, 'SIGKILL');
    await this.#running.exited;
    this.#checkSecrets();
  }

  /** Another machine takes its place, without its home. */
  replace(): void {
    this.#env = this.#office.settings(this.#role);
  }

  freeze(): void {
    process.kill(this.#first, 'SIGSTOP');
  }

  wake(): void {
    process.kill(this.#first, 'SIGCONT');
  }

  cutFromDatabase(): void {
    this.#place.cutFromDatabase();
  }

  mendDatabase(): void {
    this.#place.mendDatabase();
  }

  /** SIGTERM, which must end well. */
  async stop(): Promise<void> {
    const running = this.#running;
    process.kill(this.#first, 'SIGTERM');
    const { code, signal } = await running.exited;
    if (code !== 0) throw new Error(`${this.name} ended with ${signal ?? code}: ${running.stderr()}`);
    this.#checkSecrets();
  }

  get #running(): TestProcess {
    if (this.#process === null) throw new Error(`${this.name} was not started`);
    return this.#process;
  }

  /** Its first process, as this namespace numbers it: who is told to stop is not `unshare`, which started it. */
  get #first(): number {
    const { pid } = this.#running;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  }

  #checkSecrets(): void {
    const printed = this.#running.stdout() + this.#running.stderr();
    if (SECRETS.some((secret) => printed.includes(secret))) throw new Error(`${this.name} printed a secret`);
  }
}
