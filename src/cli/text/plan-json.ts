import type { PlanDocument } from '../../campaign/planning/plan-document.ts';
import { shownFacts } from '../../campaign/planning/plan-warning.ts';
import { shownReason } from '../../domain/row-reason.ts';
import { warningWords } from './plan-warnings.ts';

/** `tuma plan --json`: each warning and each reason with its code and facts for scripts, and its words for people. */
export function planJson(document: PlanDocument) {
  const warnings = document.warnings.map((warning) => ({
    code: warning.code,
    text: warningWords(warning),
    facts: shownFacts(warning),
  }));
  const reasons = document.reasons.map(({ kind, reason, count, lines }) => {
    return { kind, ...shownReason(reason), count, lines };
  });
  return { ...document, reasons, warnings };
}
