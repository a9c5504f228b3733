import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { formatMoney } from '../../domain/money.ts';
import { maskMobile, maskText } from '../../domain/text/mask.ts';
import type { MessageRow } from '../../ledger/contracts/reader.ts';
import { deliveryOf } from '../../reports/export.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import type { WebEnv } from '../web-env.ts';
import { askerOf } from './actor.ts';
import type { Message } from './schemas/people.ts';

/** How the numbers of people are shown to whoever asks. */
export interface Eyes {
  number: (mobile: string) => string;
  words: (text: string) => string;
  unreportedBefore: number;
}

/** How whoever asks sees them: a viewer sees masked numbers. */
export function eyesOf(web: WebEnv, request: FastifyRequest): Eyes {
  const { seesNumbers } = askerOf(request);
  return {
    number: (mobile) => (seesNumbers ? mobile : maskMobile(mobile)),
    words: (text) => (seesNumbers ? text : maskText(text)),
    unreportedBefore: web.clock.now() - web.config.reportWaitMs,
  };
}

/** A message as the API shows it. */
export function messageDocument(row: MessageRow, eyes: Eyes): z.output<typeof Message> {
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return {
    seq: row.seq,
    line: row.line,
    mobile: eyes.number(row.mobile),
    key: eyes.words(row.key),
    occurrence: row.occurrence,
    state: row.state,
    delivery: deliveryOf(row, eyes.unreportedBefore),
    reason: row.reason === null ? null : eyes.words(row.reason),
    provider_words: row.providerWords,
    messageid: row.messageId,
    network: row.network,
    segments: row.segments,
    cost: row.costMicro === null ? null : formatMoney(row.costMicro),
    attempts: row.attempts,
    queued_at: isoTime(row.queuedAt),
    due_at: row.notBefore === 0 ? null : isoTime(row.notBefore),
    sent_at: time(row.sentAt),
    reported_at: time(row.reportedAt),
  };
}
