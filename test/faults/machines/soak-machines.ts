import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ROOT } from '../../support/processes.ts';
import { withMachinesRow } from './machines-row.ts';
import { whyNoMachines } from './namespaces.ts';
import { type MachinesPlan, runMachines } from './run-machines.ts';

/*
 * `npm run soak -- --machines 4 --messages 200000 [--cut] [--rate 1000/s] [--seed N]`: one campaign by so many workers on
 * machines of their own, and a row of docs/reliability.md.
 */

const EXIT_USAGE = 2;
const DEFAULT_MESSAGES = '5000';
/** Of the rate, where none is given: long enough for every strike, in a time that one waits for. */
const DEFAULT_SECONDS = 150;
const LEAST_RATE = 100;

/** Runs it and adds its row to the page. Where there can be no machines, one line says why. */
export async function soakMachines(args: string[], page: string): Promise<void> {
  const plan = planOf(args);
  const reason = whyNoMachines();
  if (plan === null || reason !== null) {
    const usage =
      'usage: npm run soak -- --machines N [--messages N] [--cut] [--rate N/s] [--seed N]; two machines at least';
    process.stderr.write(`${reason === null ? usage : `Machines apart are not tried: ${reason}`}\n`);
    process.exit(EXIT_USAGE);
  }
  const run = await runMachines(plan);
  const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs/reliability.md');
  const date = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const commit = `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '-dirty'}`;
  writeFileSync(page, withMachinesRow(readFileSync(page, 'utf8'), { ...run, date, commit }));
  process.stdout.write(`${JSON.stringify(run)}\nThe table of docs/reliability.md has a row more.\n`);
}

function planOf(args: string[]): MachinesPlan | null {
  const { values } = parseArgs({
    args,
    options: {
      machines: { type: 'string' },
      messages: { type: 'string', default: DEFAULT_MESSAGES },
      rate: { type: 'string' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      cut: { type: 'boolean', default: false },
    },
  });
  const { rate, cut } = values;
  const [machines, messages, seed] = [values.machines, values.messages, values.seed].map(Number);
  const isWhole = [machines, messages, seed].every((each) => Number.isSafeInteger(each));
  if (!isWhole || machines === undefined || machines < 2 || messages === undefined || messages < 1)
    return null;
  const usual = Math.max(LEAST_RATE, Math.ceil(messages / DEFAULT_SECONDS));
  return { machines, messages, rate: rate ?? `${usual}/s`, seed: seed ?? 0, cuts: cut };
}
