import { z } from 'zod';
import { TumaError } from '../../../domain/errors.ts';
import { DELIVERIES } from '../../../domain/message.ts';
import { maskText } from '../../../domain/text/mask.ts';
import { printable } from '../../../domain/text/printable.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { payloadLines } from '../../../reports/payload.ts';
import { readWebhookList, webhookListDocument } from '../../../reports/webhook-list.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { Count, Time } from '../schemas/common.ts';

const VIEWER = { may: 'viewer' } as const;
const tags = ['Account'];
const Kind = z.enum(['report', 'reply', 'other', 'not_understood']);
const Webhooks = z.array(z.int()).describe('The latest of them.');

const List = z.object({
  counts: z.object({
    report: Count,
    reply: Count,
    other: Count,
    not_understood: Count,
    new: Count.describe('Those that nobody has read yet.'),
    waiting: Count.describe('Delivery reports that wait for their message.'),
  }),
  words: z
    .array(
      z.object({
        word: z.string(),
        count: Count,
        last_at: Time,
        mapped: z.enum(DELIVERIES).nullable(),
        webhook: z.int(),
      }),
    )
    .describe('Words of reports that the profile does not know.'),
  shapes: z
    .array(
      z.object({
        kind: Kind,
        shape: z.string().describe('The names of its fields.'),
        count: Count,
        last_at: Time,
        webhook: z.int().describe('One of them.'),
      }),
    )
    .describe('Webhooks that are no reports, or were not understood.'),
  other_mobiles: z
    .object({ count: Count, last_at: Time.nullable(), webhooks: Webhooks })
    .describe('Reports whose id fits a message, and whose number does not.'),
  unmatched_reports: z.object({
    count: Count,
    ambiguous: Count,
    last_at: Time.nullable(),
    example: z
      .object({
        reported: z.string(),
        known: z.string().nullable(),
        same_mobile: z.boolean(),
        differ_in: z.string().nullable(),
        webhook: z.int(),
      })
      .nullable(),
  }),
  repeated_ids: z
    .object({
      total: Count,
      ids: z.array(z.object({ messageid: z.string(), messages: Count, undecided_reports: Count })),
    })
    .describe('Ids that several messages have.'),
  contradictions: z
    .object({
      campaigns: z.array(z.object({ campaign: z.string(), messages: Count, last_at: Time })),
      webhooks: Webhooks,
    })
    .describe('Rejected messages whose numbers waiting reports name.'),
});

/** What the messaging service posted. */
export function webhookRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  oneRoute(api, env);
}

function listRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/webhooks',
    {
      config: VIEWER,
      schema: {
        tags,
        summary: 'Webhooks of the messaging service: how many, and what is not understood or fits no message',
        response: { 200: List },
      },
    },
    async (request) => {
      const { seesNumbers } = askerOf(request);
      const cover = (text: string) => printable(seesNumbers ? text : maskText(text));
      return webhookListDocument(await readWebhookList(await web.reader()), cover);
    },
  );
}

function oneRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/webhooks/:id',
    {
      config: VIEWER,
      schema: {
        tags,
        summary: 'One raw webhook, field by field',
        params: z.object({ id: z.coerce.number().int().min(1) }),
        response: {
          200: z.object({
            id: z.int(),
            kind: Kind.nullable().describe('Null: nobody has read it yet.'),
            received_at: Time,
            times: Count.describe('How often the same one came.'),
            last_at: Time,
            from: z.string(),
            voided_at: Time.nullable(),
            payload: z.array(z.object({ path: z.string(), value: z.string() })),
          }),
        },
      },
    },
    async (request) => {
      const raw = await (await web.reader()).rawWebhook(request.params.id);
      if (raw === null) throw new TumaError('not_found', { message: 'There is no such webhook.' });
      const { seesNumbers: showNumbers } = askerOf(request);
      return {
        id: raw.webhook,
        kind: raw.kind,
        received_at: isoTime(raw.receivedAt),
        times: raw.times,
        last_at: isoTime(raw.lastAt),
        from: raw.ip,
        voided_at: raw.voidedAt === null ? null : isoTime(raw.voidedAt),
        payload: payloadLines(raw, { showNumbers }),
      };
    },
  );
}
