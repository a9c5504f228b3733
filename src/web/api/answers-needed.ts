import type { LaunchQuestion } from '../../campaign/launch/preview-launch.ts';
import type { Advice } from '../../domain/advice.ts';
import { ApiError } from './problem.ts';
import { advicePart } from './schemas/advice.ts';

const ADVICE: Readonly<Partial<Record<LaunchQuestion, Advice>>> = {
  new_ledger: { action: 'accept_new_ledger' },
  cancel_missing: { action: 'accept_missing' },
};

/** The error for questions that nobody answered; the preparation stays, and can be launched. */
export function answersNeeded(preparation: string, questions: LaunchQuestion[]): ApiError {
  const advice = questions.flatMap((each) => ADVICE[each] ?? [])[0] ?? null;
  return new ApiError(
    'answers_needed',
    'The plan has questions that nobody answered. Nothing was launched.',
    {
      hint: 'Look at the plan of the preparation, and launch it with its `digest` and these questions in `accept`: POST /preparations/{id}/launch.',
      advice: advicePart(advice),
      questions,
      preparation,
    },
  );
}
