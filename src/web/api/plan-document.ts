import type { z } from 'zod';
import type { PlanDocument } from '../../campaign/planning/plan-document.ts';
import { shownFacts, warningText } from '../../campaign/planning/plan-warning.ts';
import { shownReason } from '../../domain/row-reason.ts';
import { localWords } from '../../domain/time/time-words.ts';
import { wordsOf } from '../words/words.ts';
import type { Plan } from './schemas/plan.ts';

/** A plan as the API shows it: each warning with its code and facts for programs, and English words for people. */
export function shownPlan(document: PlanDocument): z.output<typeof Plan> {
  const { planWarnings } = wordsOf('en');
  const warnings = document.warnings.map((warning) => ({
    code: warning.code,
    text: warningText(planWarnings, warning, localWords),
    facts: shownFacts(warning),
  }));
  const reasons = document.reasons.map(({ kind, reason, count, lines }) => {
    return { kind, ...shownReason(reason), count, lines };
  });
  return { ...document, reasons, warnings };
}
