import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { quantile } from './spread.ts';

const SYNCS = 200;
const PAGE = Buffer.alloc(4_096);

/** What the figures were measured on, and with. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  /** Of a page appended to a file where the ledgers of the bench lie, milliseconds. */
  fsyncMs: { p50: number; p99: number };
  versions: Record<string, string>;
}

/** Looks at this machine. `folder`: where the ledgers lie. */
export function describeMachine(folder: string): Machine {
  const packages = ['undici', 'bullmq', 'fastify', 'csv-parse'].map((name) => [name, versionOf(name)]);
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    fsyncMs: measureSync(folder),
    versions: {
      node: process.versions.node,
      sqlite: process.versions['sqlite'] ?? 'unknown',
      ...(Object.fromEntries(packages) as Record<string, string>),
    },
  };
}

function measureSync(folder: string): { p50: number; p99: number } {
  const path = join(folder, 'fsync');
  const file = openSync(path, 'w');
  const times = Array.from({ length: SYNCS }, () => {
    const begun = performance.now();
    writeSync(file, PAGE);
    fsyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  rmSync(path);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** From the file, for not every package lets its package.json be imported. */
function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return (JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string })
        .version;
    } catch {
      // Not in this one.
    }
  }
  return 'unknown';
}
