import type { Config } from '../config/config.ts';
import { homeLink } from '../config/dashboard-token.ts';
import { openServices } from '../runtime/services.ts';
import { createLog } from '../system/log.ts';

/** The pages of the sample, for somebody who has a browser beside the terminal. */
export interface SamplePages {
  /** Opens them; it holds a secret, so it is for a terminal. */
  link: string;
  close(): Promise<void>;
}

/** Serves the pages while the sample runs, with a ledger and a reader of their own. Throws `port_in_use`. */
export async function openPages(config: Config): Promise<SamplePages> {
  const services = await openServices(config, createLog({ level: 'error' }));
  try {
    const running = await services.startRoles({ roles: ['web'], patient: false });
    return {
      link: await homeLink(config, running.webUrl ?? ''),
      async close() {
        await running.stop();
        await services.dispose();
      },
    };
  } catch (error) {
    await services.dispose();
    throw error;
  }
}
