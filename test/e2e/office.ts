import { homeLink } from '../../src/config/dashboard-token.ts';
import { freePort } from '../support/free-port.ts';
import type { TestProcess } from '../support/processes.ts';
import { type Looking, openWindow, type Window } from './browser.ts';
import type { Place } from './harness.ts';

/* `tuma serve` in a process of its own, and people who look at its pages. */

/** An office whose computer serves, sends and takes reports; it can die and come back at the same address. */
export class Office {
  readonly place: Place;
  /** Where the pages are. */
  readonly origin: string;
  readonly #env: Record<string, string>;
  #serving: TestProcess | null = null;

  private constructor(place: Place, port: number, env: Record<string, string>) {
    this.place = place;
    this.origin = `http://127.0.0.1:${port}`;
    this.#env = { TUMA_DASHBOARD_PORT: String(port), ...env };
  }

  /** Starts everything. `env`: more settings. */
  static async open(place: Place, env: Record<string, string> = {}): Promise<Office> {
    const office = new Office(place, await freePort(), env);
    await office.start();
    return office;
  }

  async start(): Promise<void> {
    this.#serving = this.place.start(['serve'], { env: this.#env });
    await this.#serving.printed(/pages +http/);
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    await this.#serving?.stop('SIGKILL');
  }

  /** Somebody opens the link of this computer. */
  async enter(looking: Looking = {}): Promise<Window> {
    const window = await openWindow(this.origin, looking);
    await window.open(await homeLink({ home: this.place.home }, this.origin));
    return window;
  }
}
