import type { PlanDocument } from '../../campaign/planning/plan-document.ts';
import { shownFacts } from '../../campaign/planning/plan-warning.ts';
import { warningWords } from './plan-warnings.ts';

/** `tuma plan --json`: each warning with its code and facts for scripts, and its words for people. */
export function planJson(document: PlanDocument) {
  const warnings = document.warnings.map((warning) => ({
    code: warning.code,
    text: warningWords(warning),
    facts: shownFacts(warning),
  }));
  return { ...document, warnings };
}
