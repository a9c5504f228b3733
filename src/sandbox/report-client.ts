import http from 'node:http';
import https from 'node:https';
import type { WireReport } from './report-shapes.ts';

const POST_TIMEOUT_MS = 10_000;

/** Posts reports to one webhook address over kept-alive connections. */
export interface ReportClient {
  /** Posts one report. Resolves with the HTTP status, or null when nothing answered in ten seconds. Never rejects. */
  post(report: WireReport): Promise<number | null>;
  close(): void;
}

/** A client for an http or https address with at most `connections` connections. */
export function createReportClient(url: string, connections: number): ReportClient {
  const target = new URL(url);
  const { request, Agent } = target.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    post: (report) =>
      new Promise((resolve) => {
        const call = request(addressOf(target, report), {
          agent,
          method: report.method,
          timeout: POST_TIMEOUT_MS,
        });
        call.on('response', (response) => {
          response.resume();
          response.on('close', () => {
            resolve(response.complete ? (response.statusCode ?? null) : null);
          });
        });
        call.on('timeout', () => call.destroy());
        call.on('error', () => {
          resolve(null);
        });
        if (report.contentType !== null) call.setHeader('content-type', report.contentType);
        call.end(report.body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

function addressOf(target: URL, report: WireReport): URL {
  if (report.query === '') return target;
  const address = new URL(target);
  address.search = address.search === '' ? report.query : `${address.search}&${report.query}`;
  return address;
}
