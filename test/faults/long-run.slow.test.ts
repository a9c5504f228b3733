import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { residentMb } from '../support/processes.ts';
import { checkRun, isOpen } from './check.ts';
import { openStage } from './harness.ts';
import { keepOpen } from './killing.ts';
import { PATIENCE_MS } from './provider.ts';
import { addRun } from './summary.ts';

vi.setConfig({ testTimeout: 300_000 });

const MB = 2 ** 20;

test.runIf(process.platform === 'linux')(
  'S12: a long run, of 120,000 messages, grows neither the worker nor Redis',
  async () => {
    const stage = await openStage({ contacts: 120_000, sandbox: { latencyMs: 2, webhookUrl: null } });
    await keepOpen(stage);
    const worker = stage.serve('worker');
    // The code is compiled and the caches are full by then; what grows after that has no end.
    await stage.provider.accepted(40_000, PATIENCE_MS);
    const resident: number[] = [];
    let redisMb = 0;
    while (isOpen(stage)) {
      resident.push(residentMb(worker.pid));
      const info = String(await stage.redis.command('INFO', 'memory'));
      redisMb = Math.max(redisMb, Number(/used_memory:(\d+)/.exec(info)?.[1]) / MB);
      await sleep(500);
    }
    const third = Math.ceil(resident.length / 3);
    const most = (part: number[]) => Math.max(...part);
    expect(resident.length).toBeGreaterThan(6);
    expect(most(resident.slice(-third)) - most(resident.slice(0, third))).toBeLessThan(30);
    expect(redisMb).toBeLessThan(10);
    expect(await stage.redis.command('DBSIZE')).toBeLessThan(100);
    await worker.stop('SIGTERM');
    const findings = await checkRun(stage, { kills: 0 });
    expect(findings).toMatchObject({ accepted: 120_000, uncertain: 0 });
    addRun('nothing, for a long time', findings);
  },
);
