import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

/** More than anything that is asked here answers. */
const MOST_BODY_BYTES = 65_536;

/** What is asked; a GET when there is no body to post. */
export interface Question {
  /** Ends the asking, the reading of the body too. */
  signal: AbortSignal;
  headers?: Record<string, string>;
  body?: string;
}

/** What came back. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Null: it did not end, in time or within 64 kB. */
  body: string | null;
}

/**
 * One request to an address of the settings; no redirect is followed. Not by `fetch`, which refuses some ports (10080,
 * 6000 …) that a collector may well listen on. Rejects when nothing answers, with the signal's reason when that ended it.
 */
export async function ask(url: string, { signal, headers = {}, body }: Question): Promise<Answer> {
  const request = new URL(url).protocol === 'https:' ? tlsRequest : plainRequest;
  const method = body === undefined ? 'GET' : 'POST';
  const asked = request(url, { method, headers, signal, agent: false });
  // What goes wrong once an answer has begun is told by its body; without a listener it would end the process.
  asked.on('error', () => undefined);
  // The signal here too: a connection that is switched to another protocol is closed without a word.
  const answered = once(asked, 'response', { signal }) as Promise<[IncomingMessage]>;
  asked.end(body);
  const [answer] = await answered.catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer) };
}

async function bodyOf(answer: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > MOST_BODY_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return null;
  }
}
