import type { Socket } from 'node:net';
import type { AnswerName } from '../api/answers.ts';
import { messageOf, otherMobile, sendBody, successBody, type AnswerFor } from '../api/http-answers.ts';

/* Answers that break HTTP. They go straight to the socket, because node:http would not write them. */

const PIECE_MS = 100;
const RESET_AFTER_HEAD_MS = 20;
const FLOOD_MS = 5;
const FLOOD_PIECE = 'HTTP/1.1 103 Early Hints\r\nLink: </>; rel=preload\r\n\r\n'.repeat(8);
const MOST_UNSENT_BYTES = 65_536;

/** Writers of the broken answers, by name. */
export const brokenAnswers = {
  hang: () => {},
  rst_on_accept: (reply: AnswerFor) => {
    reset(socketOf(reply));
  },
  rst_after_body: (reply: AnswerFor) => {
    reset(socketOf(reply));
  },
  rst_after_headers: (reply: AnswerFor) => {
    const socket = socketOf(reply);
    socket?.write(rawHead('Content-Length: 150'));
    // A reset discards unread bytes, so the client first gets time to read the head.
    const timer = setTimeout(() => {
      reset(socket);
    }, RESET_AFTER_HEAD_MS);
    socket?.once('close', () => {
      clearTimeout(timer);
    });
  },
  fin_after_body: (reply: AnswerFor) => {
    socketOf(reply)?.destroySoon();
  },
  half_body: (reply: AnswerFor) => {
    const body = successBody(messageOf(reply.accepted));
    const socket = socketOf(reply);
    socket?.write(rawAnswer(body.slice(0, body.length >> 1), body.length));
    socket?.destroySoon();
  },
  drip: (reply: AnswerFor) => {
    const body = successBody(messageOf(reply.accepted));
    const socket = socketOf(reply);
    socket?.write(rawHead(`Content-Length: ${body.length}`, 'Connection: close'));
    drip(socket, { text: body, ms: reply.answer.ms ?? PIECE_MS });
  },
  drip_headers: (reply: AnswerFor) => {
    const body = successBody(messageOf(reply.accepted));
    const text = rawHead(`Content-Length: ${body.length}`, 'Connection: close') + body;
    drip(socketOf(reply), { text, ms: reply.answer.ms ?? PIECE_MS });
  },
  chunked_forever: (reply: AnswerFor) => {
    const socket = socketOf(reply);
    socket?.write(rawHead('Transfer-Encoding: chunked'));
    repeat(socket, { piece: '1\r\n \r\n', ms: reply.answer.ms ?? PIECE_MS });
  },
  '1xx_flood': (reply: AnswerFor) => {
    repeat(socketOf(reply), { piece: FLOOD_PIECE, ms: reply.answer.ms ?? FLOOD_MS });
  },
  unsolicited_second_response: (reply: AnswerFor) => {
    const message = messageOf(reply.accepted);
    const socket = socketOf(reply);
    sendBody(reply.response, { status: 200, body: successBody(message) });
    const second = {
      ...message,
      mobile: otherMobile(message.mobile),
      messageid: `unsolicited-${message.serial}`,
    };
    socket?.write(rawAnswer(successBody(second)));
  },
} satisfies Partial<Record<AnswerName, (reply: AnswerFor) => void>>;

function socketOf(reply: AnswerFor): Socket | null {
  return reply.response.socket;
}

function reset(socket: Socket | null): void {
  socket?.resetAndDestroy();
}

/** Writes a text one character at a time, then closes the connection. */
function drip(socket: Socket | null, stream: { text: string; ms: number }): void {
  let written = 0;
  every(socket, stream.ms, (open) => {
    if (written < stream.text.length) open.write(stream.text.charAt(written));
    else open.destroySoon();
    written += 1;
  });
}

/** Writes a piece again and again until the other side closes. */
function repeat(socket: Socket | null, stream: { piece: string; ms: number }): void {
  every(socket, stream.ms, (open) => {
    if (open.writableLength < MOST_UNSENT_BYTES) open.write(stream.piece);
  });
}

function every(socket: Socket | null, ms: number, step: (open: Socket) => void): void {
  if (socket === null || socket.destroyed) return;
  const timer = setInterval(step, Math.max(1, ms), socket);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** A whole HTTP/1.1 answer for a socket; its declared length may be wrong on purpose. */
function rawAnswer(body: string, declaredLength = Buffer.byteLength(body)): string {
  return `${rawHead(`Content-Length: ${declaredLength}`)}${body}`;
}

/** Status line and headers of a 200 with JSON, with the header lines given. */
function rawHead(...headers: string[]): string {
  return ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
}
