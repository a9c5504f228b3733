import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, startProcess } from '../../support/processes.ts';
import type { Findings } from '../check.ts';
import { inOffice } from './namespaces.ts';
import type { Struck } from './storm.ts';

/** One campaign by many machines. */
export interface MachinesPlan {
  /** Workers; two at least. */
  machines: number;
  messages: number;
  /** TUMA_RATE, such as 1500/s. */
  rate: string;
  seed: number;
  /** Whether one worker is cut off from Postgres for two minutes, too. */
  cuts: boolean;
}

/** What it came to. */
export interface MachinesRun extends MachinesPlan, Struck {
  findings: Findings;
  /** From the launch until everything was settled and reported. */
  tookMs: number;
  /** Messages a second, from the first to the last, as the report says it. */
  perSecond: number;
}

/** The flags of bin/tuma that decide about life and death; it says why. */
const NODE_FLAGS = ['--wasm-wrapper-tiering-budget=2147483647'];

/** Runs it in namespaces of its own, shows what happens, and throws with all that is wrong. */
export async function runMachines(plan: MachinesPlan): Promise<MachinesRun> {
  const folder = mkdtempSync(join(tmpdir(), 'tuma-machines-'));
  const file = join(ROOT, 'test/faults/machines/machines-process.ts');
  const [command, args] = inOffice([process.execPath, ...NODE_FLAGS, file, JSON.stringify(plan)]);
  const child = startProcess(command, args, { env: { ...process.env, TMPDIR: folder } });
  try {
    const { code } = await child.exited;
    if (code !== 0)
      throw new Error(`the machines of seed ${plan.seed} ended with ${code}:\n${child.stderr()}`);
    return JSON.parse(child.stdout().trimEnd().split('\n').at(-1) ?? '') as MachinesRun;
  } finally {
    await child.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
