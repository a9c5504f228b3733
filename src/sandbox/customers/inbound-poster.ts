import { hash } from 'node:crypto';
import { inboundRecord, meaningOf, type InboundFacts } from './inbound-event.ts';
import { WebhookPoster } from '../reports/webhook-poster.ts';
import type { InboundEntry } from '../truth/truth-entry.ts';

const CONNECTIONS = 8;

/** A message of a customer, on its way to the webhook. */
export interface Inbound {
  facts: InboundFacts;
  /** The message that it answers; null when an operator sent it. */
  serial: number | null;
}

/** Makes the poster of customers' messages (API document 6). Every try posts the same record. */
export function createInboundPoster(options: {
  settings: { reportTries: number; reportRetryMs: number };
  record: (entry: InboundEntry) => void;
}): WebhookPoster<Inbound> {
  return new WebhookPoster({
    settings: options.settings,
    connections: CONNECTIONS,
    wire: ({ facts }) => {
      const body = JSON.stringify(inboundRecord(facts));
      return { method: 'POST', contentType: 'application/json', query: '', body };
    },
    record: ({ facts, serial }, end) => {
      const { name, id, mobile, shortcode, text, media, at: sentAt } = facts;
      options.record({
        event: 'inbound',
        at: Date.now(),
        name,
        id,
        serial,
        mobile,
        shortcode,
        sha256: hash('sha256', text),
        means: meaningOf(text),
        media,
        sentAt,
        ...end,
      });
    },
  });
}
