import { expect, test } from 'vitest';
import { systemProcesses } from '../../src/system/processes.ts';
import { startProcess } from '../support/processes.ts';

test('the dead are told from the living by pid and start time', async () => {
  const processes = systemProcesses('worker');
  const self = processes.self();
  const child = startProcess('sleep', ['60']);
  expect(processes.fate(self)).toBe('alive');
  expect(processes.fate({ ...self, startTicks: '1' })).toBe('dead');
  expect(processes.fate({ ...self, bootId: 'another' })).toBe('unknown');
  expect(processes.fate({ ...self, pidNamespace: 'another' })).toBe('unknown');
  await child.stop('SIGKILL');
  expect(processes.fate({ ...self, pid: child.pid })).toBe('dead');
});

test('a process that has no file descriptor left takes nobody for dead [S5]', async () => {
  const program = `
    import { openSync } from 'node:fs';
    import { systemProcesses } from './src/system/processes.ts';
    const { self, fate } = systemProcesses('worker');
    const before = fate(self());
    try { for (;;) openSync('/dev/null', 'r'); } catch {}
    process.stdout.write(before + ' ' + fate(self()));
  `;
  const words = ['--nofile=64', process.execPath, '--input-type=module', '-e', program];
  const child = startProcess('prlimit', words);
  await child.exited;
  expect(child.stdout(), child.stderr()).toBe('alive unknown');
});
