import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy in front of a server of this machine. */
export interface Proxy {
  port: number;
  /** Lets nothing through any more in either direction, and closes nothing: what is sent is never acknowledged. */
  blackHole(): void;
  /** Lets everything through again, on new connections; those of before and of meanwhile stay dumb. */
  heal(): void;
  /** New connections lead to another server from now on; the old ones stay where they are. */
  leadTo(target: number | string): void;
  /**
   * Of the nth request from now on only so many bytes get through, and nothing after them. Resolves when that has
   * happened.
   */
  cutRequest(nth: number, bytes: number): Promise<void>;
  /** Answers to requests for this path wait, but for the next `after` of them. */
  holdAnswers(path: string, after?: number): Held;
  /** Refuses connections from now on, and ends those that are there. */
  refuse(): Promise<void>;
  /** Takes connections again. */
  accept(): Promise<void>;
}

/** Answers that a proxy holds. */
export interface Held {
  /** How many wait. */
  count(): number;
  /** Lets them through, and all that come later. */
  release(): void;
}

interface Hold {
  path: string;
  /** So many requests are let through before. */
  after: number;
  /** By connection. */
  waiting: Map<object, (() => void)[]>;
}

interface Cut {
  left: number;
  bytes: number;
  done: () => void;
}

/** Starts a proxy to a port of this machine or to a unix socket; it ends with the test, which may give its own end. */
export async function startProxy(
  target: number | string,
  whenFinished: typeof onTestFinished = onTestFinished,
): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const links = new Set<{ dead: boolean }>();
  let leadsTo = target;
  let dumb = false;
  let cut: Cut | null = null;
  let hold: Hold | null = null;
  const server = createServer((client) => {
    const upstream = typeof leadsTo === 'string' ? connect(leadsTo) : connect(leadsTo, '127.0.0.1');
    const link = { dead: dumb };
    links.add(link);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        links.delete(link);
        if (link.dead) return;
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (link.dead) return;
      if (cut !== null && chunk.subarray(0, 5).toString('latin1') === 'POST ' && (cut.left -= 1) === 0) {
        link.dead = true;
        const { bytes, done } = cut;
        cut = null;
        upstream.write(chunk.subarray(0, bytes), done);
        client.once('close', () => upstream.destroy());
        return;
      }
      upstream.write(chunk);
    });
    client.prependListener('data', (chunk: Buffer) => {
      if (hold === null || !chunk.toString('latin1').startsWith(`POST ${hold.path}`)) return;
      if (hold.after > 0) hold.after -= 1;
      else hold.waiting.set(link, []);
    });
    upstream.on('data', (chunk: Buffer) => {
      const pass = () => void (link.dead || client.write(chunk));
      const later = hold?.waiting.get(link);
      if (later === undefined) pass();
      else later.push(pass);
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  whenFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    blackHole() {
      dumb = true;
      // A connection that carries nothing meanwhile is lost all the same.
      for (const link of links) link.dead = true;
    },
    heal: () => void (dumb = false),
    leadTo: (other) => void (leadsTo = other),
    holdAnswers(path, after = 0) {
      const held: Hold = { path, after, waiting: new Map() };
      hold = held;
      return {
        count: () => [...held.waiting.values()].filter((chunks) => chunks.length > 0).length,
        release() {
          hold = null;
          for (const pass of [...held.waiting.values()].flat()) pass();
        },
      };
    },
    async refuse() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    accept: () => listen(port),
    cutRequest: (nth, bytes) =>
      new Promise((resolve) => {
        cut = { left: nth, bytes, done: () => resolve() };
      }),
  };
}
