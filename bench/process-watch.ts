import { readFileSync } from 'node:fs';

const LOOK_MS = 20;
/** The unit of processor time in /proc (USER_HZ) is a hundredth of a second on every Linux. */
const TICK_MS = 10;

/** Looks at a process while it runs: the most memory it ever had, and the processor time it used. Linux only. */
export class ProcessWatch {
  /** The peak of the resident memory (VmHWM), with all threads; null where the system does not tell. */
  peakBytes: number | null = null;
  /** Of all threads, up to the last look: at most 20 ms before the end. */
  processorMs: number | null = null;
  #pid: number;
  #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The kernel keeps the peak, so that only what comes after the last look can be missed. */
  #look(): void {
    try {
      const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8'));
      if (peak !== null) this.peakBytes = Number(peak[1]) * 1024;
      // The name in the second field may hold anything; the numbers follow its closing bracket.
      const fields = (readFileSync(`/proc/${this.#pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
      this.processorMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      // It has ended, or this is no Linux.
    }
  }
}
