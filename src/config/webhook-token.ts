import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Secret } from './secret.ts';
import { secretInFile } from './secret-file.ts';

/**
 * The unguessable part of the webhook's address: TUMA_WEBHOOK_TOKEN, else what `$TUMA_HOME/webhook-token`
 * (0600) holds, which is made when it is missing.
 */
export async function webhookToken(config: Pick<Config, 'home' | 'webhookToken'>): Promise<Secret> {
  return (
    config.webhookToken ??
    secretInFile({
      file: join(config.home, 'webhook-token'),
      subject: 'The webhook token',
      removed: 'the address of the webhook then changes.',
    })
  );
}
