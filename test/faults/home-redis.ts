import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** The private Redis of a home, seen from outside. */
export interface HomeRedis {
  /** Null while none was started. */
  pid(): number | null;
  /** SIGKILL, if it runs. */
  kill(): void;
  /** One command on a connection of its own. Rejects while it does not run. */
  command(name: string, ...args: string[]): Promise<unknown>;
}

/** Finds the private Redis by the record that Tuma keeps of it. */
export function homeRedis(home: string): HomeRedis {
  const pid = () => {
    try {
      return (JSON.parse(readFileSync(join(home, 'redis.json'), 'utf8')) as { pid: number }).pid;
    } catch {
      return null;
    }
  };
  return {
    pid,
    kill() {
      const running = pid();
      try {
        if (running !== null) process.kill(running, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    },
    async command(name, ...args) {
      const client = new Redis({
        path: join(home, 'redis.sock'),
        lazyConnect: true,
        retryStrategy: () => null,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return await client.call(name, ...args);
      } finally {
        client.disconnect();
      }
    },
  };
}
