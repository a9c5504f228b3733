import { type Finding, sayFinding } from '../../reports/health.ts';
import { FINDING_WORDS } from '../../reports/health-words.ts';
import type { Output } from '../terminal/output.ts';

/** One thing that was looked at, in words. `fail`: sending will not work; `warn`: it may not, or not as well. */
export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  hint: string | null;
}

/** Findings in the words of the command line. */
export function wordedChecks(findings: readonly Finding[], output: Pick<Output, 'words'>): Check[] {
  return findings.map((finding) => {
    const { name, state } = finding;
    return { name, state, ...sayFinding(FINDING_WORDS, finding, (text) => output.words(text)) };
  });
}
