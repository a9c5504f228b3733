import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Secret } from './secret.ts';
import { secretInFile } from './secret-file.ts';

/**
 * The secret in the link to the pages and in their forms: `dashboard-token` (0600) of the shared folder, made when it is
 * missing.
 */
export function dashboardToken({ sharedFolder }: Pick<Config, 'sharedFolder'>): Promise<Secret> {
  return secretInFile({
    file: join(sharedFolder, 'dashboard-token'),
    subject: 'The token of the pages',
    removed: 'the link to the pages then changes.',
  });
}

/** The link that opens the pages of this machine in a browser. `url`: where they listen. */
export async function homeLink(config: Pick<Config, 'sharedFolder'>, url: string): Promise<string> {
  return `${url}/open?token=${(await dashboardToken(config)).reveal()}`;
}
