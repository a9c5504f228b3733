import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawConnection {
  socket: Socket;
  /** All that came back up to now. */
  received(): string;
  /** The statuses of the answers that came back up to now. */
  statuses(): number[];
  write(text: string | Uint8Array): void;
  /** Resolves when the connection is closed by either side. */
  closed: Promise<void>;
}

/** Opens a plain TCP connection, to say what no HTTP client would. Errors of the socket count as its end. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  await once(socket, 'connect');
  return {
    socket,
    received: () => text,
    statuses: () => [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1])),
    write: (data) => void socket.write(data),
    closed,
  };
}

/** A POST as it goes over the wire. */
export function rawPost(path: string, body: string, headers: string[] = []): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
