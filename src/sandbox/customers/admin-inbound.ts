import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { INBOUND_EVENTS, type InboundFacts } from './inbound-event.ts';
import { isMediaName, MEDIA_NAMES, type MediaName } from '../api/sample-media.ts';

const MOST_TEXT_CHARS = 10_000;

const schema = z.strictObject({
  event: z.enum(INBOUND_EVENTS).default('sms.received'),
  mobile: z.string().regex(/^\d{7,15}$/, 'must be international digits'),
  text: z.string().max(MOST_TEXT_CHARS).default(''),
  shortcode: z.string().min(1).max(64).default('DUKA'),
  media: z
    .custom<MediaName>(isMediaName, `must be one of ${MEDIA_NAMES.join(', ')}`)
    .nullable()
    .default(null),
  fields: z.record(z.string(), z.unknown()).default({}),
});

/** Reads the body of POST /sandbox/inbound, or says its problem. `fields` replaces fields of the outgoing record. */
export function inboundOf(body: unknown): { facts: InboundFacts } | { problem: string } {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is wrong'}` };
  }
  const { event, media, ...rest } = parsed.data;
  if (media !== null && event !== 'whatsapp.message.received')
    return { problem: 'media: only chat carries files' };
  return { facts: { ...rest, name: event, media, at: Date.now(), id: randomUUID() } };
}
