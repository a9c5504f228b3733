import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { WireReport } from './report-shapes.ts';

const POST_TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 65_536;
const HEAD_END = '\r\n\r\n';

/** Posts reports to one webhook address. */
export interface ReportClient {
  /** Posts one report. Resolves with the HTTP status, or with null after ten seconds without one. Never rejects. */
  post(report: WireReport): Promise<number | null>;
  close(): void;
}

/**
 * A client for an http or https address, with one kept-alive connection for each post in flight. It writes HTTP/1.1 itself,
 * because node:http halved the measured send rate. An answer without Content-Length counts after its head, and then the
 * connection closes.
 */
export function createReportClient(url: string): ReportClient {
  const target = new URL(url);
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  const connect = (): Connection => {
    const connection = new Connection(target, () => {
      open.delete(connection);
      if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
    });
    open.add(connection);
    return connection;
  };
  return {
    post: async (report) => {
      const connection = idle.pop() ?? connect();
      const status = await connection.post(requestText(target, report));
      if (connection.isReusable) idle.push(connection);
      return status;
    },
    close: () => {
      for (const connection of open) connection.close();
    },
  };
}

/** One connection; one post at a time. */
class Connection {
  readonly #socket: Socket;
  #answer = '';
  #settle: ((status: number | null) => void) | null = null;

  constructor(target: URL, closed: () => void) {
    this.#socket = connectTo(target);
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(POST_TIMEOUT_MS, () => this.#socket.destroy());
    this.#socket.on('data', (chunk) => {
      this.#read(chunk.toString('latin1'));
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      closed();
      this.#finish(null);
    });
  }

  get isReusable(): boolean {
    return !this.#socket.destroyed;
  }

  post(request: string): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) {
        resolve(null);
        return;
      }
      this.#settle = resolve;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#answer += chunk;
    if (this.#settle === null || this.#answer.length > MOST_ANSWER_BYTES) this.#socket.destroy();
    const answer = parseAnswer(this.#answer);
    if (answer === null) return;
    this.#answer = '';
    if (!answer.keepsOpen) this.#socket.destroy();
    this.#finish(answer.status);
  }

  #finish(status: number | null): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(status);
  }
}

/** Answers null for an incomplete answer. A body of unknown length is ignored. */
function parseAnswer(text: string): { status: number | null; keepsOpen: boolean } | null {
  const end = text.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = text.slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined && text.length < end + HEAD_END.length + Number(length)) return null;
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  const keepsOpen = length !== undefined && !/\r\nconnection: *close/i.test(head);
  return { status: status === undefined ? null : Number(status), keepsOpen };
}

function connectTo(target: URL): Socket {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (target.protocol === 'https:') {
    return connectTls({
      host,
      port: Number(target.port || 443),
      servername: host,
      ALPNProtocols: ['http/1.1'],
    });
  }
  return connectTcp({ host, port: Number(target.port || 80) });
}

function requestText(target: URL, report: WireReport): string {
  const query = [target.search.slice(1), report.query].filter((part) => part !== '').join('&');
  const lines = [
    `${report.method} ${target.pathname}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    `Host: ${target.host}`,
    'Connection: keep-alive',
  ];
  if (report.contentType !== null) {
    lines.push(`Content-Type: ${report.contentType}`, `Content-Length: ${Buffer.byteLength(report.body)}`);
  }
  return `${lines.join('\r\n')}${HEAD_END}${report.body}`;
}
