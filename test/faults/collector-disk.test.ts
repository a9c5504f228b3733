import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { injected, noStrace } from './strace.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* A collector whose disk refuses at one call of the kernel (L3): what it acknowledged is there, and nothing else is said. */

const TOKEN = 'ab12cd34ef56gh78ij90kl';

interface Posted {
  statuses: number[];
  /** Bodies that were answered with 200. */
  acknowledged: string[];
}

interface Started {
  url: string;
  /** SIGKILL of the collector itself: strace has no say in it, and ends with it. */
  kill: () => Promise<void>;
  exited: TestProcess['exited'];
}

async function start(file: string, fault?: string): Promise<Started> {
  const under = fault === undefined ? [] : injected(`${file}.calls`, fault);
  const words = [...under, process.execPath, 'test/faults/collector-process.ts', file, TOKEN];
  const [command = '', ...args] = words;
  const child = startProcess(command, args);
  await child.printed(/pid \d+/);
  const [, port, pid] = /port (\d+) pid (\d+)/.exec(child.stdout()) ?? [];
  const kill = async () => {
    process.kill(Number(pid), 'SIGKILL');
    await child.exited;
  };
  return { url: `http://127.0.0.1:${port}/webhooks/${TOKEN}`, kill, exited: child.exited };
}

/** An empty ledger, so that only webhooks are written under the fault. */
async function emptyLedger(): Promise<string> {
  const file = join(makeTempDir(), 'ledger.db');
  await (await start(file)).kill();
  return file;
}

async function postOneByOne(url: string, count: number): Promise<Posted> {
  const posted: Posted = { statuses: [], acknowledged: [] };
  for (let number = 1; number <= count; number++) {
    const body = `{"messageid":"${number}"}`;
    const status = await fetch(url, { method: 'POST', body }).then(
      (answer) => answer.status,
      () => 0,
    );
    posted.statuses.push(status);
    if (status === 200) posted.acknowledged.push(body);
  }
  return posted;
}

function missing(file: string, bodies: string[]): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const stored = database.prepare('SELECT CAST(body AS TEXT) AS body FROM webhook').all();
  database.close();
  const known = new Set(stored.map(({ body }) => String(body)));
  return bodies.filter((body) => !known.has(body));
}

describe.skipIf(noStrace).concurrent('L3: a collector', () => {
  it('whose sync fails gives no 2xx for it, and none ever after [D3 W13]', async () => {
    const file = await emptyLedger();
    const { url, kill } = await start(file, 'fsync,fdatasync:error=EIO:when=6');
    const { statuses, acknowledged } = await postOneByOne(url, 12);
    const first = statuses.indexOf(503);
    expect(first).toBeGreaterThan(0);
    expect(statuses.slice(first)).toEqual(statuses.slice(first).map(() => 503));
    await kill();
    expect(missing(file, acknowledged)).toEqual([]);
  });

  it('without space gives no 2xx, and takes webhooks again when there is some [D2 W13]', async () => {
    const file = await emptyLedger();
    const { url, kill } = await start(file, 'pwrite64:error=ENOSPC:when=25..28');
    const { statuses, acknowledged } = await postOneByOne(url, 30);
    expect(statuses).toContain(503);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 200]);
    await kill();
    expect(missing(file, acknowledged)).toEqual([]);
  });

  it('killed at a sync has stored everything that it acknowledged [W1 I6]', async () => {
    const file = await emptyLedger();
    let kills = 0;
    for (const when of [4, 7]) {
      const { url, exited } = await start(file, `fsync,fdatasync:signal=SIGKILL:when=${when}`);
      const { statuses, acknowledged } = await postOneByOne(url, 12);
      if (statuses.includes(0)) kills += 1;
      await exited;
      expect(missing(file, acknowledged)).toEqual([]);
    }
    expect(kills).toBe(2);
  });
});
