import { unmatchedWords } from '../../domain/unmatched-reports.ts';
import { type Finding, type FindingWords, sayFinding } from '../../reports/health.ts';
import { FINDING_WORDS, good, noCollectorWords, type OwnFinding } from '../../reports/health-words.ts';
import { UNMATCHED_HINT } from '../../reports/recently-unmatched.ts';
import { hintOf } from '../text/advice-text.ts';
import type { Output } from '../terminal/output.ts';

/** One thing that was looked at, in words. `fail`: sending will not work; `warn`: it may not, or not as well. */
export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  hint: string | null;
}

const OWN_WORDS: Pick<FindingWords, OwnFinding> = {
  failed: ({ message, ...help }) => ({ detail: message, hint: hintOf(help) }),
  noCredits: ({ message, ...help }) => ({ detail: message, hint: hintOf(help) }),
  collectorStuck: ({ url }) => ({
    detail: `the collector at ${url} cannot take webhooks now`,
    hint: 'Is its disk full, its ledger held? The log of `tuma serve` says why.',
  }),
  noCollector: (facts) => ({
    detail: noCollectorWords(facts),
    hint: 'Is `tuma serve` running, and does your proxy lead to it?',
  }),
  workers: ({ count }) => good(workerWords(count)),
  reportsUnmatched: (reports) => ({
    detail: unmatchedWords(reports),
    hint: reports.count > 0 ? UNMATCHED_HINT : 'tuma webhooks list',
  }),
};

const WORDS: FindingWords = { ...FINDING_WORDS, ...OWN_WORDS };

function workerWords(count: number | null): string {
  if (count === null) return 'none is alive';
  return count === 0 ? 'none is alive; start one with tuma serve' : `${count} alive`;
}

/** Findings in the words of the command line. */
export function wordedChecks(findings: readonly Finding[], output: Pick<Output, 'words'>): Check[] {
  return findings.map((finding) => {
    const { name, state } = finding;
    return { name, state, ...sayFinding(WORDS, finding, (text) => output.words(text)) };
  });
}
