import type { PlannedReport, ReportOutcome, ReportShape } from './report-plan.ts';

/** The content of a delivery report, before it gets its shape. */
export interface ReportFacts {
  messageid: string;
  mobile: string;
  network: string;
  report: PlannedReport;
  /** When the message was accepted and when the report is written, milliseconds since the epoch. */
  acceptedAt: number;
  at: number;
}

/** A report as an HTTP request. `query` extends the query of the webhook address. */
export interface WireReport {
  method: 'POST' | 'GET';
  contentType: string | null;
  query: string;
  body: string;
}

const NAIROBI_MS = 3 * 3_600_000;

/** Writes a report in its shape. The API document shows none (provider's family, 4.1). */
export function wireReport(facts: ReportFacts): WireReport {
  return WRITERS[facts.report.shape](facts);
}

const WRITERS: Record<ReportShape, (facts: ReportFacts) => WireReport> = {
  plain: (facts) =>
    json({
      description: facts.report.word,
      messageid: facts.messageid,
      timeTaken: `${seconds(facts).toFixed(0)}s`,
      timestamp: localTime(facts.at),
    }),
  tilil_json: (facts) =>
    json({
      messageId: facts.messageid,
      dlrTime: localTime(facts.at),
      dlrStatus: facts.report.outcome === 'delivered' ? 1 : 2,
      dlrDesc: facts.report.word,
      tat: clockTime(facts),
      network: facts.network,
    }),
  form: (facts) => ({
    method: 'POST',
    contentType: 'application/x-www-form-urlencoded',
    query: '',
    body: new URLSearchParams({
      id: facts.messageid,
      status: spelled(facts, {
        sent: 'Sent',
        delivered: 'Success',
        undelivered: 'Failed',
        absent: 'AbsentSubscriber',
      }),
      phoneNumber: `+${facts.mobile}`,
      networkCode: '63902',
      ...(isFailure(facts) ? { failureReason: facts.report.word } : {}),
    }).toString(),
  }),
  array: (facts) =>
    json([
      {
        externalId: facts.messageid,
        eventType: spelled(facts, {
          sent: 'SENT',
          delivered: 'DELIVERED',
          undelivered: 'UNDELIVERED',
          absent: 'ABSENT_SUBSCRIBER',
        }),
        eventTs: facts.at,
        destAddr: facts.mobile,
        noOfFrags: 1,
      },
    ]),
  results: (facts) =>
    json({
      results: [
        {
          messageId: facts.messageid,
          to: facts.mobile,
          doneAt: new Date(facts.at).toISOString(),
          status: {
            groupName: spelled(facts, {
              sent: 'PENDING',
              delivered: 'DELIVERED',
              undelivered: 'UNDELIVERABLE',
              absent: 'EXPIRED',
            }),
            name: facts.report.word,
          },
        },
      ],
    }),
  query: (facts) => ({
    method: 'GET',
    contentType: null,
    body: '',
    query: new URLSearchParams({
      msg_id: facts.messageid,
      status: spelled(facts, {
        sent: 'ENROUTE',
        delivered: 'DELIVRD',
        undelivered: 'UNDELIV',
        absent: 'EXPIRED',
      }),
      msisdn: facts.mobile,
    }).toString(),
  }),
  number_id: (facts) =>
    jsonText(`{"messageid":${numberOrText(facts.messageid)},"status":"${facts.report.word}"}`),
  event: (facts) =>
    json({
      event: 'sms.delivery',
      data: {
        'message-id': facts.messageid,
        mobile: facts.mobile,
        status: facts.report.word,
        timestamp: new Date(facts.at).toISOString(),
      },
    }),
  getdlr: (facts) =>
    json({
      'response-code': 200,
      'message-id': facts.messageid,
      'response-description': 'Success',
      'delivery-status': facts.report.outcome === 'delivered' ? 32 : 8,
      'delivery-description': facts.report.word,
      'delivery-tat': clockTime(facts),
      'delivery-networkid': facts.network,
      'delivery-time': localTime(facts.at),
    }),
};

function json(value: unknown): WireReport {
  return jsonText(JSON.stringify(value));
}

function jsonText(body: string): WireReport {
  return { method: 'POST', contentType: 'application/json', query: '', body };
}

/** Writes an id as a JSON number where possible, with any number of digits. */
function numberOrText(id: string): string {
  return /^[1-9]\d*$/.test(id) ? id : JSON.stringify(id);
}

function spelled(facts: ReportFacts, words: Record<ReportOutcome, string>): string {
  return words[facts.report.outcome];
}

function isFailure(facts: ReportFacts): boolean {
  return facts.report.outcome === 'undelivered' || facts.report.outcome === 'absent';
}

function seconds(facts: ReportFacts): number {
  return Math.max(0, facts.at - facts.acceptedAt) / 1000;
}

/** "00:00:02", the time from acceptance to the report. */
function clockTime(facts: ReportFacts): string {
  return new Date(seconds(facts) * 1000).toISOString().slice(11, 19);
}

/** "2026-11-20 10:16:10" in Nairobi, without a zone. */
function localTime(at: number): string {
  return new Date(at + NAIROBI_MS).toISOString().slice(0, 19).replace('T', ' ');
}
