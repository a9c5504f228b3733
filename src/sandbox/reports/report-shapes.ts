import type { PlannedReport, ReportOutcome, ReportShape } from './report-plan.ts';

/** The content of a delivery report, before it gets its shape. Times are milliseconds since the epoch. */
export interface ReportFacts {
  /** `at`: when the message was accepted. */
  message: { messageid: string; mobile: string; network: string; at: number };
  report: PlannedReport;
  /** When the report is written. */
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

const FORM_WORDS: Record<ReportOutcome, string> = {
  sent: 'Sent',
  delivered: 'Success',
  undelivered: 'Failed',
  absent: 'AbsentSubscriber',
};

const QUERY_WORDS: Record<ReportOutcome, string> = {
  sent: 'ENROUTE',
  delivered: 'DELIVRD',
  undelivered: 'UNDELIV',
  absent: 'EXPIRED',
};

/** Writes a report in its shape. The API document shows none (provider's family, 4.1). */
export function wireReport(facts: ReportFacts): WireReport {
  return WRITERS[facts.report.shape](facts);
}

const WRITERS: Record<ReportShape, (facts: ReportFacts) => WireReport> = {
  plain: (facts) =>
    json({
      description: facts.report.word,
      messageid: facts.message.messageid,
      timeTaken: `${(takenMs(facts) / 1000).toFixed(0)}s`,
      timestamp: localTime(facts.at),
    }),
  tilil_json: (facts) =>
    json({
      messageId: facts.message.messageid,
      dlrTime: localTime(facts.at),
      dlrStatus: facts.report.outcome === 'delivered' ? 1 : 2,
      dlrDesc: facts.report.word,
      tat: new Date(takenMs(facts)).toISOString().slice(11, 19),
      network: facts.message.network,
    }),
  form: ({ message, report }) => ({
    method: 'POST',
    contentType: 'application/x-www-form-urlencoded',
    query: '',
    body: new URLSearchParams({
      id: message.messageid,
      status: FORM_WORDS[report.outcome],
      phoneNumber: `+${message.mobile}`,
      networkCode: '63902',
      ...(isFailure(report) ? { failureReason: report.word } : {}),
    }).toString(),
  }),
  query: ({ message, report }) => ({
    method: 'GET',
    contentType: null,
    body: '',
    query: new URLSearchParams({
      msg_id: message.messageid,
      status: QUERY_WORDS[report.outcome],
      msisdn: message.mobile,
    }).toString(),
  }),
  number_id: ({ message, report }) =>
    jsonText(`{"messageid":${numberOrText(message.messageid)},"status":"${report.word}"}`),
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

function isFailure({ outcome }: PlannedReport): boolean {
  return outcome === 'undelivered' || outcome === 'absent';
}

function takenMs({ at, message }: ReportFacts): number {
  return Math.max(0, at - message.at);
}

/** "2026-11-20 10:16:10" in Nairobi, without a zone. */
function localTime(at: number): string {
  return new Date(at + NAIROBI_MS).toISOString().slice(0, 19).replace('T', ' ');
}
