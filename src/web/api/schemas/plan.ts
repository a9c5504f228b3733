import { z } from 'zod';
import { Count, Money, Time } from './common.ts';

const Sampled = { count: Count, lines: z.array(z.int()).describe('The first of them.') };

/** Why a row gets nothing. */
const Reason = {
  code: z.string(),
  text: z.string().describe('In the words of the rejects file.'),
  facts: z.record(z.string(), z.string().nullable()).describe('Such as the field that is missing.'),
};

const Example = z
  .object({ line: z.int(), text: z.string(), segments: Count })
  .meta({ id: 'ExampleText', description: 'A message as it leaves, whole.' });

const Changes = z
  .looseObject({
    campaign: z.string(),
    new: Count,
    unchanged: Count,
    moved: Count,
    canceled: Count,
    open: Count,
  })
  .nullable()
  .describe('What corrected contacts change of the open campaign; null: they correct none.');

/** The document of `tuma plan --json`, with whole texts. Later versions may add keys. */
export const Plan = z
  .looseObject({
    campaign: z.object({ name: z.string(), kind: z.string(), sender: z.string() }),
    contacts: z.looseObject({
      mobile_column: z.string(),
      mobiles: z.array(z.looseObject({})).describe('Of each column with numbers: how many rows use it.'),
      found_by: z.string(),
      numbers: Count,
      of: Count,
      encoding: z.string(),
      header_line: z.int(),
      sheet: z.looseObject({ name: z.string(), position: Count, of: Count }).nullable(),
    }),
    rows: z
      .object({
        read: Count,
        planned: Count,
        unchanged: Count,
        invalid: Count,
        duplicate: Count,
        suppressed: Count,
      })
      .describe('read is the sum of the others.'),
    reasons: z.array(
      z.object({ kind: z.enum(['invalid', 'duplicate', 'suppressed']), ...Reason, ...Sampled }),
    ),
    encoding: z.looseObject({}),
    segments: z.looseObject({ planned: Count }),
    lengths: z.array(z.object({ segments: Count, messages: Count })),
    ucs2_characters: z.array(
      z.object({ character: z.string(), replacement: z.string().nullable(), ...Sampled }),
    ),
    gsm_saves_segments: Count.describe('Segments that the key `gsm` would save.'),
    cost: z.looseObject({
      currency: z.string(),
      basis: z.enum(['configured', 'learned', 'unknown']),
      lower: Money.nullable(),
      upper: Money.nullable().describe('What it may cost at most; null: a price is not known.'),
    }),
    balance: z.object({
      before: Money.nullable(),
      after_lower: Money.nullable(),
      after_upper: Money.nullable(),
      planned_before: z
        .object({
          cost: Money,
          campaigns: z.array(
            z.object({
              campaign: z.string(),
              name: z.string(),
              at: Time.nullable().describe('Null: now.'),
              messages: Count,
              cost: Money.nullable(),
            }),
          ),
          more: Count.describe('Moments beyond those that are named; `cost` has them, too.'),
          unpriced: Count.describe('Messages without a known price: they count as nothing.'),
        })
        .describe('What else the account sends until this begins.'),
      left: Money.nullable().describe(
        'What is left of the balance after both, at least; below zero: so much is missing.',
      ),
    }),
    start: z.object({
      at: Time.nullable(),
      missed: z.boolean(),
      firings: z.array(Time),
      rereads: z.boolean(),
    }),
    forecast: z.looseObject({
      rate_per_second: z.number().nullable(),
      starts_at: Time,
      finishes_at: Time.nullable(),
      fits: z.boolean().nullable(),
    }),
    reminders: z
      .looseObject({
        each: Count,
        calendar: z.array(z.object({ date: z.string(), count: Count })),
        past: z.object(Sampled),
        already_reminded: Count,
        upload: Changes,
      })
      .nullable(),
    examples: z.array(Example),
    longest: Example.nullable(),
    guards: z.looseObject({ same_text_now: Count, most_now: Count }),
    warnings: z.array(
      z.object({
        code: z.string(),
        text: z.string().describe('For a person, in English.'),
        facts: z.record(z.string(), z.unknown()),
      }),
    ),
    refused: z.boolean().describe('A launch of the same would be refused; one of the warnings says why.'),
  })
  .meta({ id: 'Plan' });

/** What a launch must answer beside the cost. */
export const Question = z.enum(['new_ledger', 'loss', 'cancel_missing', 'cost']).meta({
  id: 'LaunchQuestion',
  description:
    'new_ledger: nothing sent before is known here. loss: the ledger was restored from an older copy. cancel_missing: corrected contacts leave out more than a tenth of the reminders that wait, which are canceled; `reminders.upload.missing` says how many. cost: what it costs.',
});

/** The questions that a call answers before it has seen the plan. How many people lose their reminder must be seen first. */
export const UnseenQuestion = z.enum(['new_ledger', 'loss', 'cost']);

const Planned = z.discriminatedUnion('planning', [
  z.object({
    planning: z.literal('running'),
    what: z.enum(['plan', 'launch']),
    rows: Count.describe('Rows read so far.'),
    since: Time,
  }),
  z.object({
    planning: z.literal('failed'),
    code: z.string(),
    message: z.string(),
    hint: z.string().nullable(),
    where: z.string().nullable(),
  }),
  z.object({
    planning: z.literal('known'),
    campaign: z.string().describe('These files are this campaign already.'),
    settled: z.boolean(),
  }),
  z.object({
    planning: z.literal('done'),
    questions: z.array(Question),
    corrects: z.string().nullable().describe('The campaign that corrected contacts are laid over.'),
    digest: z.string().describe('A launch names it, and another plan is refused.'),
    planned_at: Time,
    document: Plan,
  }),
]);

/** A campaign that is being prepared. */
export const Preparation = z
  .object({
    id: z.string(),
    revision: z.int(),
    state: z.enum(['open', 'asked', 'launched', 'discarded']).describe('asked: it waits for approval.'),
    owner: z.string(),
    editors: z.array(z.string()),
    job: z.record(z.string(), z.unknown()).describe('The keys of a job file (docs/jobs.md).'),
    contacts: z
      .object({ name: z.string(), bytes: Count, received_at: Time, format: z.enum(['csv', 'xlsx']) })
      .nullable(),
    plan: Planned.nullable().describe('Of this revision; null: nobody asked for it.'),
    asked: z.object({ by: z.string(), at: Time }).nullable(),
    refused: z.string().nullable().describe('Why approval was refused.'),
    campaign: z.string().nullable().describe('What it became.'),
    created_at: Time,
    changed_at: Time,
    ends_at: Time.describe('Then it ends by itself, unless somebody changes it.'),
  })
  .meta({ id: 'Preparation' });

/** The first rows of contacts. */
export const ContactsLook = z
  .object({
    sheets: z.array(z.string()).nullable(),
    sheet: z.string().nullable(),
    header_line: z.int(),
    header: z.array(z.string()),
    rows: z.array(z.object({ line: z.int(), cells: z.array(z.string()) })),
    mobile: z.object({ column: z.int(), numbers: Count, of: Count }).nullable(),
  })
  .meta({ id: 'ContactsLook' });

/** Which rows of the contacts can get a message. */
export const RowsJudged = z
  .object({
    read: Count,
    usable: Count,
    reasons: z
      .array(
        z.object({
          ...Reason,
          count: Count,
          lines: z.array(z.int()).describe('The first ones.'),
          example: z.string().describe('The cell of the first one, masked.'),
        }),
      )
      .describe('Why the others cannot, the most frequent first.'),
  })
  .meta({
    id: 'RowsJudged',
    description: 'Null: the list is too long to be looked through for an answer; plan it.',
  });

/** One message as it would leave. */
export const Preview = z
  .object({
    line: z.int(),
    text: z.string(),
    appended: z.string().describe('What the provider adds, such as the opt-out text.'),
    segments: Count,
    encoding: z.enum(['gsm7', 'ucs2']),
    costly: z
      .array(z.object({ character: z.string(), replacement: z.string().nullable() }))
      .describe('Characters that make it longer, and what could stand there.'),
    problem: z.object(Reason).nullable().describe('Why this row gets nothing; null: it gets one.'),
  })
  .meta({ id: 'Preview' });
