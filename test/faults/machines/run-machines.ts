import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atFileEnd } from '../../support/file-end.ts';
import { ROOT } from '../../support/processes.ts';
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
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const isOver = once(child, 'close');
  const end = async () => {
    child.kill('SIGKILL');
    await isOver;
    rmSync(folder, { recursive: true, force: true });
  };
  // A test whose time is over ends no process.
  atFileEnd(end);
  const printed = await text(child.stdout);
  const [code] = (await isOver) as [number | null];
  await end();
  if (code !== 0) throw new Error(`the machines of seed ${plan.seed} ended with ${code}, as said above`);
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as MachinesRun;
}
