import { Tasks } from '../../src/campaign/tasks/tasks.ts';
import { workTask } from '../../src/campaign/tasks/work-task.ts';
import { doTask } from '../../src/runtime/do-task.ts';
import type { WebHere } from './web-here.ts';

/** How long work goes in a test. */
export interface WorkHere {
  tasks: Tasks;
  /** The next work dies when it has taken its task, as if with the power. */
  dieNext(): void;
}

/** Lets long work be done in this process: one of its own, as in test/e2e, takes a second. */
export async function workHere(services: WebHere['services']): Promise<WorkHere> {
  const { clock, config, log, processes } = services;
  const [ledger, reader] = [await services.ledger(), await services.reader()];
  const { signal } = new AbortController();
  const env = { ledger, reader, clock, log };
  const dead = { bootId: 'another', pidNamespace: 'p', pid: 1, startTicks: '1', roles: 'command' };
  let dies = false;
  const tasks = new Tasks({
    ledger,
    reader: () => services.reader(),
    clock,
    log,
    sharedFolder: config.sharedFolder,
    processes: {
      self: () => processes.self(),
      fate: (each) => (each.bootId === 'another' ? 'dead' : processes.fate(each)),
    },
    async workApart({ id, process }) {
      if (dies) {
        dies = false;
        const taken = JSON.stringify({ identity: dead, attempt: 'dead' });
        await ledger.takeTask({ id, process: taken, dead: process, now: clock.now() });
        throw new Error('killed');
      }
      const { sharedFolder, zone, reportWaitMs } = config;
      await workTask({ ...env, processes }, { id, process, signal }, (asked, work) =>
        doTask({ ...env, processes, sharedFolder, zone, reportWaitMs }, asked, work),
      );
    },
  });
  Object.assign(services, { tasks: async () => tasks });
  return { tasks, dieNext: () => (dies = true) };
}
