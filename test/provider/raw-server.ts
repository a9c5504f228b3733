import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';

/** A request that the server has read to its last byte. */
export interface ReadRequest {
  path: string;
  head: string;
  body: string;
  /** Which request on its connection, from 0. */
  nth: number;
}

export interface RawServerOptions {
  /** Called when a connection opens, before anything is read. */
  onConnect?: (socket: Socket) => void;
  /** Called for each request that was read in full. */
  onRequest?: (socket: Socket, request: ReadRequest) => void;
  tls?: tls.TlsOptions;
}

/** A server on localhost that speaks bytes, so that it can misbehave in every way. */
export interface RawServer {
  url: string;
  port: number;
  /** Requests read in full, in order. */
  requests: ReadRequest[];
  /** Everything ever read, in the order it came. */
  readBytes: () => number;
  /** Paths of all requests of which at least the first line was read. */
  begun: string[];
  connections: () => number;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startRawServer(options: RawServerOptions): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: ReadRequest[] = [];
  const begun: string[] = [];
  let bytes = 0;
  let connections = 0;
  const accept = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    options.onConnect?.(socket);
    const reader = new RequestReader();
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      const before = reader.begun.length;
      const read = reader.take(chunk);
      begun.push(...reader.begun.slice(before));
      for (const request of read) {
        requests.push(request);
        options.onRequest?.(socket, request);
      }
    });
  };
  const server = options.tls ? tls.createServer(options.tls, accept) : net.createServer(accept);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    begun,
    readBytes: () => bytes,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Cuts a stream of HTTP/1.1 requests with Content-Length apart. */
class RequestReader {
  begun: string[] = [];
  #pending = '';
  #nth = 0;
  #lineSeen = false;

  take(chunk: Buffer): ReadRequest[] {
    this.#pending += chunk.toString('latin1');
    const read: ReadRequest[] = [];
    for (let request = this.#next(); request !== null; request = this.#next()) read.push(request);
    return read;
  }

  #next(): ReadRequest | null {
    const line = /^POST (\S+) /.exec(this.#pending);
    if (line !== null && !this.#lineSeen) {
      this.#lineSeen = true;
      this.begun.push(line[1] ?? '');
    }
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end === -1) return null;
    const head = this.#pending.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? '0');
    if (this.#pending.length < end + 4 + length) return null;
    const body = Buffer.from(this.#pending.slice(end + 4, end + 4 + length), 'latin1').toString('utf8');
    this.#pending = this.#pending.slice(end + 4 + length);
    this.#lineSeen = false;
    return { path: line?.[1] ?? '', head, body, nth: this.#nth++ };
  }
}

/** A whole HTTP/1.1 answer as bytes. */
export function answer(status: number, body: string | object, headers: Record<string, string> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} Any\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** The documented success (API document 2.2) for a request. */
export function success(request: ReadRequest, fields: object = {}): object {
  const { mobile } = JSON.parse(request.body) as { mobile: string };
  return {
    responsecode: '200',
    responsedescription: 'Success',
    mobile,
    messageid: 'm-1',
    networkid: '1',
    messagecost: '0.80',
    ...fields,
  };
}
