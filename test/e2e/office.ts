import { homeLink } from '../../src/config/dashboard-token.ts';
import { freePort } from '../support/free-port.ts';
import type { TestProcess } from '../support/processes.ts';
import { type Looking, openWindow, type Window } from './browser.ts';
import type { Place } from './harness.ts';

/* `tuma serve` in a process of its own, and people who look at its pages. */

/** So many ports are tried. */
const MOST_PORTS = 5;

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
    for (let tries = 1; ; tries += 1) {
      const office = new Office(place, await freePort(), env);
      try {
        await office.start();
        return office;
      } catch (error) {
        // Another test took the port before it listened. A later start needs the same one, so the system cannot choose it.
        const isTaken = String(error).includes('TUMA_DASHBOARD_PORT') && tries < MOST_PORTS;
        if (!isTaken) throw error;
      }
    }
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
    await window.open(await homeLink({ sharedFolder: this.place.home }, this.origin));
    return window;
  }
}
