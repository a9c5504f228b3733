import { z } from 'zod';

/** An amount in the currency of the account. */
export const Money = z
  .string()
  .regex(/^-?\d+\.\d{2,6}$/)
  .meta({ id: 'Money', description: 'A decimal string such as "0.80".', examples: ['1250.50'] });

/** An instant. */
export const Time = z.iso.datetime().meta({ id: 'Time', description: 'ISO 8601 in UTC.' });

/** The number of a person, masked for viewers. */
export const Mobile = z.string().meta({
  id: 'Mobile',
  description: 'International digits without a plus; masked (2547****5678) for the role viewer.',
  examples: ['254712345678'],
});

/** A number of things. */
export const Count = z.int().min(0);

/** The place of a campaign in an address. */
export const CampaignParams = z.object({ id: z.string().describe('The whole id of a campaign.') });

/** The header of a request that is done once. */
export const ORDER_HEADERS = {
  'idempotency-key': z
    .string()
    .optional()
    .describe('Any text of 1 to 200 characters. A repeat with it does nothing, and gets the same answer.'),
};

/** The header of a change that must not meet another one. */
export const MATCH_HEADERS = {
  'if-match': z
    .string()
    .optional()
    .describe('The `ETag` of what was seen: after a change the answer is 412.'),
};

/** Query of a list that is read in pages. */
export function pageQuery(most: number, usual = 100) {
  return {
    cursor: z.string().optional().describe('`next` of the page before.'),
    limit: z.coerce.number().int().min(1).max(most).default(usual).describe('Rows of a page.'),
  };
}

/** `next` of a list that is read in pages. */
export const Next = z.string().nullable().describe('The cursor of the next page; null: this is the last.');
