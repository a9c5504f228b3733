import { DatabaseSync } from 'node:sqlite';
import { startNode, type TestProcess } from '../support/processes.ts';

/* Collectors in processes of their own, and what they stored. */

const TOKEN = 'ab12cd34ef56gh78ij90kl';

/** Starts a collector on a ledger's file, and answers where it takes webhooks. `mute`: it stores and never answers. */
export async function startCollectorOn(
  file: string,
  { mute = false } = {},
): Promise<{ process: TestProcess; url: string }> {
  const args = [file, TOKEN, ...(mute ? ['mute'] : [])];
  const process = startNode('test/faults/collector-process.ts', args);
  await process.printed(/port \d+/);
  const port = /port (\d+)/.exec(process.stdout())?.[1];
  return { process, url: `http://127.0.0.1:${port}/webhooks/${TOKEN}` };
}

/** The bodies in a ledger, each with how many times it came. */
export function storedBodies(file: string): Map<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT CAST(body AS TEXT) AS body, times FROM webhook').all();
    return new Map(rows.map(({ body, times }) => [String(body), Number(times)]));
  } finally {
    database.close();
  }
}
