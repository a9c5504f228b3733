import type { Config } from '../../config/config.ts';

/** One thing that the provider's API document does not say. */
export interface Assumption {
  /** The assumption, as a sentence without its full stop. */
  assumed: string;
  /** The setting or the row of the profile that corrects it. */
  correct: string;
}

/** The assumptions that cost money or reports where they are wrong (docs/profile.md, "What is assumed"). */
export function assumptionsOf({
  optOutText,
  currency,
}: Pick<Config, 'optOutText' | 'currency'>): Assumption[] {
  const appended = optOutText === '' ? 'nothing' : `"${optOutText}"`;
  return [
    { assumed: `the provider appends ${appended} to promotional messages`, correct: 'TUMA_OPT_OUT_TEXT' },
    { assumed: `costs and the credit are in ${currency}`, correct: 'TUMA_CURRENCY' },
    {
      assumed: 'delivery reports and replies come to one address, and their event names tell them apart',
      correct: '`reports` in the profile',
    },
  ];
}

/** `the credit is in KES (else correct TUMA_CURRENCY)`. */
export function assumptionLine({ assumed, correct }: Assumption): string {
  return `${assumed} (else correct ${correct})`;
}
