import type { UnmatchedReports } from '../domain/unmatched-reports.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { RepeatedIds } from '../ledger/contracts/replies.ts';
import { isoTime } from './campaign-report.ts';
import { contradictionParts } from './contradictions.ts';

/* What came by webhooks and nobody understands, or fits no message, as data. */

const MOST_LISTED = 50;
/** Webhooks that are named of one group. */
const MOST_NAMED = 10;

/** How the words of strangers are shown: masked, or only without what moves a cursor. */
type Cover = (text: string) => string;

/** All that was read for the list. */
export type WebhookList = Awaited<ReturnType<typeof readWebhookList>>;

/** Reads what is not understood, and what fits no message. */
export async function readWebhookList(reader: LedgerReader) {
  return {
    counts: await reader.webhookCounts(),
    words: await reader.unknownWords(MOST_LISTED),
    shapes: await reader.webhookShapes(MOST_LISTED),
    mismatched: await reader.mismatchedReports(MOST_NAMED),
    unmatched: await reader.unmatchedReports({ since: 0, until: Number.MAX_SAFE_INTEGER }),
    repeated: await reader.repeatedIds(MOST_NAMED),
    contradictions: contradictionParts(await reader.contradictions(null)),
    contradicting: await reader.contradictingWebhooks(MOST_NAMED),
  };
}

/** The list as programs see it. */
export function webhookListDocument(list: WebhookList, cover: Cover) {
  const { notUnderstood, ...counts } = list.counts;
  const { mismatched } = list;
  return {
    counts: { ...counts, not_understood: notUnderstood },
    words: list.words.map(({ word, count, lastAt, mapped, webhook }) => {
      return { word: cover(word), count, last_at: isoTime(lastAt), mapped, webhook };
    }),
    shapes: list.shapes.map(({ kind, shape, count, lastAt, webhook }) => {
      return { kind, shape: cover(shape), count, last_at: isoTime(lastAt), webhook };
    }),
    other_mobiles: {
      count: mismatched.count,
      last_at: mismatched.lastAt === null ? null : isoTime(mismatched.lastAt),
      webhooks: mismatched.webhooks,
    },
    unmatched_reports: unmatchedPart(list.unmatched, cover),
    repeated_ids: repeatedPart(list.repeated, cover),
    contradictions: { campaigns: list.contradictions, webhooks: list.contradicting },
  };
}

/** Reports that fit no message. */
export function unmatchedPart({ count, ambiguous, lastAt, example }: UnmatchedReports, cover: Cover) {
  return {
    count,
    ambiguous,
    last_at: lastAt === null ? null : isoTime(lastAt),
    example:
      example === null
        ? null
        : {
            reported: cover(example.reported),
            known: example.known === null ? null : cover(example.known),
            same_mobile: example.sameMobile,
            differ_in: example.form,
            webhook: example.webhook,
          },
  };
}

/** Ids that several messages have. */
export function repeatedPart({ total, ids }: RepeatedIds, cover: Cover) {
  return {
    total,
    ids: ids.map(({ messageId, messages, undecided }) => {
      return { messageid: cover(messageId), messages, undecided_reports: undecided };
    }),
  };
}
