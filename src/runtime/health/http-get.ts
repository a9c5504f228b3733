/** More bytes than any checked address returns. */
const MOST_BODY_BYTES = 65_536;

/** An HTTP answer. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Null: it did not end, in time or within 64 kB. */
  body: string | null;
}

/** One request to an address of the settings. No redirect is followed. Rejects without an answer in time. */
export async function ask(url: string, request: RequestInit & { signal: AbortSignal }): Promise<Answer> {
  const answer = await fetch(url, { ...request, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, body: await bodyOf(answer) };
}

async function bodyOf({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
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
