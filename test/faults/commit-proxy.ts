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
   * and that answer is lost with the connection. `held`: as `after`, but it waits until `let` is called. Resolves when it is
   * cut, or is held.
   */
  cut(when: 'before' | 'after' | 'held'): Promise<{ let(): void }>;
  /** How many COMMITs have passed, or were cut. */
  commits(): number;
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

const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');

/** Starts one; it ends with the test, or as `whenFinished` says. */
export async function startCommitProxy(
  postgresUrl: string,
  whenFinished: typeof onTestFinished = onTestFinished,
): Promise<CommitProxy> {
  let target = new URL(postgresUrl);
  let refusing = false;
  let commits = 0;
  let next: { when: 'before' | 'after' | 'held'; done: (held: { let(): void }) => void } | null = null;
  const links = new Set<{ ends: Socket[]; silent: boolean }>();
  const server = createServer((client) => {
    if (refusing) return void client.destroy();
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
      if (!chunk.includes(COMMIT)) return void upstream.write(chunk);
      commits += 1;
      const asked = next;
      next = null;
      const nothing = { let: () => undefined };
      if (asked?.when === 'before') {
        end();
        return asked.done(nothing);
      }
      if (asked !== null) losesAnswer = () => asked.done(nothing);
      if (asked?.when === 'held') return asked.done({ let: () => void upstream.write(chunk) });
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (link.silent) return;
      if (losesAnswer === null) return void client.write(chunk);
      end();
      losesAnswer();
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
    commits: () => commits,
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
