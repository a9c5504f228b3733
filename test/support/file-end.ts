/* What the support of tests does when a test file is done. Files may share a process, and then a module is imported once. */

type Ender = () => void | Promise<void>;
const enders: Ender[] = [];

/** Does this at the end of each test file. The last that was given is done first. */
export function atFileEnd(end: Ender): void {
  enders.push(end);
}

/** Called by file-end-setup.ts, which runs for each test file. */
export async function endFile(): Promise<void> {
  for (const end of enders.toReversed()) await end();
}
