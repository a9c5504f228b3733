import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';
import type { ReportOutcome, ReportShape } from '../../../src/sandbox/reports/report-plan.ts';
import { wireReport } from '../../../src/sandbox/reports/report-shapes.ts';

/* The sandbox writes reports without knowing our reader. Whatever it writes must be read as it was meant. */

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });

const SHAPES: ReportShape[] = ['plain', 'tilil_json', 'form', 'query', 'number_id'];
const MEANT: [ReportOutcome, string, string][] = [
  ['sent', 'SentToNetwork', 'pending'],
  ['delivered', 'DeliveredToTerminal', 'delivered'],
  ['undelivered', 'DeliveryImpossible', 'undelivered'],
  ['undelivered', 'DeliveryFailure', 'undelivered'],
  ['undelivered', 'UserNotExist', 'undelivered'],
  ['undelivered', 'SenderName Blacklisted', 'undelivered'],
  ['absent', 'AbsentSubscriber', 'undelivered'],
];
/** Timed shapes round to seconds. */
const AT = Date.UTC(2026, 10, 20, 12, 0, 5);

describe.each(SHAPES)('a report of the sandbox in the shape %s', (shape) => {
  it.each(MEANT)('that says %s (%s) is read as %s', (outcome, word, delivery) => {
    for (const messageid of ['40998742123345678901', '00099', 'a1b2c3']) {
      const { query, body } = wireReport({
        message: { messageid, mobile: '254712345678', network: '1', at: AT - 5_000 },
        report: { afterMs: 0, outcome, shape, word },
        at: AT,
      });
      const { kind, reports } = parse({ query, body: new TextEncoder().encode(body) });
      expect(kind).toBe('report');
      expect(reports).toMatchObject([{ messageId: messageid, delivery }]);
      const [report] = reports;
      expect([null, '254712345678']).toContain(report?.mobile);
      expect([null, AT]).toContain(report?.at);
      if (delivery === 'undelivered') expect(report?.reason).not.toBeNull();
    }
  });
});
