import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Secret } from './secret.ts';
import { secretInFile } from './secret-file.ts';

/** The secret in the link to the pages of this machine: `$TUMA_HOME/dashboard-token` (0600), made when it is missing. */
export function dashboardToken({ home }: Pick<Config, 'home'>): Promise<Secret> {
  return secretInFile({
    file: join(home, 'dashboard-token'),
    subject: 'The token of the pages',
    removed: 'the link to the pages then changes.',
  });
}

/** The link that opens the pages of this machine in a browser. `url`: where they listen. */
export async function homeLink(config: Pick<Config, 'home'>, url: string): Promise<string> {
  return `${url}/open?token=${(await dashboardToken(config)).reveal()}`;
}
