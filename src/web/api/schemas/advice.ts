import { z } from 'zod';
import { type Advice, ADVICE_ACTIONS } from '../../../domain/advice.ts';

/** The way on from a problem, as data. */
export const AdvicePart = z.object({
  action: z.enum(ADVICE_ACTIONS),
  campaign: z.string().nullable().describe('The id of the campaign that it is about.'),
  needs: z.string().nullable().describe('What must be given with it.'),
});

/** A piece of advice as the API shows it; null: there is none. */
export function advicePart(advice: Advice | null): z.output<typeof AdvicePart> | null {
  if (advice === null) return null;
  return {
    action: advice.action,
    campaign: 'campaign' in advice ? advice.campaign : null,
    needs: 'needs' in advice ? advice.needs : null,
  };
}
