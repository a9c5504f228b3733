import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../support/temp-home.ts';

const PROGRAM = fileURLToPath(new URL('../../src/contacts/workbook/workbook-process.ts', import.meta.url));
/** Prints the most memory that the process had, in MB. */
// Not what the system calls the process's own peak: that one begins at the size of who started it.
const PEAK = `data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>console.error(Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1])/1024))`;
/** The bound of the process that reads workbooks. */
export const MEMORY_MAX_MB = 400;

/** Reads a workbook in the process that does so, and what it took. */
export function convert(workbook: Buffer) {
  const folder = makeTempDir();
  const [path, target] = [join(folder, 'list.xlsx'), join(folder, 'contacts.csv')];
  writeFileSync(path, workbook);
  const request = JSON.stringify({ path, target, sheet: null, rows: 'all' });
  const run = spawnSync(process.execPath, ['--max-old-space-size=256', '--import', PEAK, PROGRAM, request], {
    encoding: 'utf8',
    env: {},
  });
  const answer = JSON.parse(run.stdout) as { problem?: string; rows?: number };
  return { answer, peakMb: Number(run.stderr), target, folder };
}
