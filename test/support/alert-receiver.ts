import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** A request that came to a receiver. */
export interface AlertPost {
  /** Its `webhook-id`. */
  id: string;
  body: string;
  headers: Record<string, string>;
}

/** A receiver of alerts until the test ends. Its address holds PATHSECRET and QUERYSECRET. */
export async function alertReceiver(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<{ url: string; posts: AlertPost[] }> {
  const posts: AlertPost[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      const headers = request.headers as Record<string, string>;
      posts.push({ id: headers['webhook-id'] ?? '', body: parts.join(''), headers });
      answer(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook/PATHSECRET?key=QUERYSECRET`, posts };
}

/** The content of a post; throws where the secret did not sign it. */
export function signedBy(secret: string, { body, headers }: AlertPost): unknown {
  return new Webhook(secret).verify(body, headers);
}
