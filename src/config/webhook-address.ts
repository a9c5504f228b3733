import type { Config } from './config.ts';
import { isReadableOnItsWay } from './relations.ts';
import { webhookToken } from './webhook-token.ts';

/** The whole address that the provider posts to. Whoever knows it can post. */
export interface WebhookAddress {
  url: string;
  /** False: only this machine reaches it. */
  isPublic: boolean;
  /** True: without TLS others can read what goes there. */
  isReadable: boolean;
}

/** The address to paste into the portal. */
export async function webhookAddress(
  config: Pick<Config, 'home' | 'webhookToken' | 'publicUrl' | 'host' | 'port'>,
): Promise<WebhookAddress> {
  const { publicUrl, host, port } = config;
  const token = await webhookToken(config);
  const base = publicUrl ?? `http://${host}:${port}`;
  return {
    url: `${base.replace(/\/$/, '')}/webhooks/${token.reveal()}`,
    isPublic: publicUrl !== null,
    isReadable: publicUrl !== null && isReadableOnItsWay(publicUrl),
  };
}
