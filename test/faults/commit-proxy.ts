import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type PostgresAddress, postgresAddress } from '../../src/ledger/postgres/address.ts';

/** A TCP proxy in front of a Postgres, which knows a COMMIT when it passes. */
export interface CommitProxy {
  /** The address of the same server, by way of this proxy. */
  url: string;
  /**
   * The next COMMIT. `before`: it does not reach the server, and the connection is cut. `after`: the server has answered,
   * and that answer is lost with the connection. `held`: as `after`, but it waits until `let` is called. `garbled`: the
   * server has answered, and bytes that nobody understands come in place of it. Resolves when it is cut, or is held.
   */
  cut(when: Cut['when']): Promise<{ let(): void }>;
  /** Refuses connections from now on, and ends those that are there. */
  refuse(): void;
  /** Takes connections again, to this server from now on. */
  accept(url?: string): void;
  /** Carries nothing more by the connections that are there, and closes none: as a cable that is cut. */
  silence(): void;
}

/** The same schema of this server as a ledger is opened with, which wants the password beside the address. */
export function addressOn(server: string, schema: string): PostgresAddress {
  const url = new URL(server);
  const { password } = url;
  url.password = '';
  url.searchParams.set('schema', schema);
  return postgresAddress(url.href, password);
}

/** A message of a type that does not exist. */
const GARBLE = Buffer.from('\x01\0\0\0\x04', 'latin1');
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');

interface Cut {
  when: 'before' | 'after' | 'held' | 'garbled';
  done: (held: { let(): void }) => void;
}

/** Starts one; it ends with the test, or as `whenFinished` says. */
export async function startCommitProxy(
  postgresUrl: string,
  whenFinished: typeof onTestFinished = onTestFinished,
): Promise<CommitProxy> {
  let target = new URL(postgresUrl);
  let refusing = false;
  let next: Cut | null = null;
  const links = new Set<{ ends: Socket[]; silent: boolean }>();
  const server = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    const link = { ends: [client, upstream], silent: false };
    links.add(link);
    const end = () => {
      links.delete(link);
      if (!link.silent) for (const each of link.ends) each.destroy();
    };
    for (const each of link.ends) each.on('error', () => undefined).on('close', end);
    let losesAnswer: (() => void) | null = null;
    client.on('data', (chunk: Buffer) => {
      if (link.silent) return;
      const asked = chunk.includes(COMMIT) ? next : null;
      if (asked === null) upstream.write(chunk);
      else take(asked, chunk);
    });
    const take = ({ when, done }: Cut, chunk: Buffer) => {
      next = null;
      if (when === 'before') {
        end();
        done({ let: () => undefined });
        return;
      }
      losesAnswer = () => {
        if (when === 'garbled') client.write(GARBLE);
        else end();
        done({ let: () => undefined });
      };
      if (when === 'held') done({ let: () => void upstream.write(chunk) });
      else upstream.write(chunk);
    };
    upstream.on('data', (chunk: Buffer) => {
      if (link.silent) return;
      if (losesAnswer === null) client.write(chunk);
      else losesAnswer();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endAll = () => {
    for (const { ends } of links) for (const each of ends) each.destroy();
  };
  whenFinished(() => {
    server.close();
    endAll();
  });
  const url = new URL(postgresUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    cut: (when) => new Promise((done) => (next = { when, done })),
    refuse() {
      refusing = true;
      endAll();
    },
    accept(other) {
      if (other !== undefined) target = new URL(other);
      refusing = false;
    },
    silence() {
      for (const link of links) link.silent = true;
    },
  };
}
