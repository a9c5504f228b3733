/** What said that a number wants no offers, or that it wants them again. Of the last two nobody did: they follow from failures. */
export const OPT_OUT_SOURCES = ['reply', 'operator', 'import', 'report', 'learned'] as const;
/** One of OPT_OUT_SOURCES. */
export type OptOutSource = (typeof OPT_OUT_SOURCES)[number];
/** Where somebody's wish came from. */
export type WishSource = Exclude<OptOutSource, 'report' | 'learned'>;
