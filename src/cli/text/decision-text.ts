import { type ContradictionPart, contradictionWords } from '../../reports/contradictions.ts';
import { type DecisionPart, decisionWords } from '../../reports/open-answers.ts';

/** What waits for a decision, and what to type. */
export function decisionNote(part: DecisionPart): string {
  return `${decisionWords(part)} tuma answers map ${part.answer} MEANING`;
}

/** What delivery reports contradict, and the command that shows the reports. */
export function contradictionNote(part: ContradictionPart): string {
  return `${contradictionWords(part)} See: tuma webhooks list`;
}
