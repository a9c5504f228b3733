import { Pool } from 'undici';
import { barePost } from './bare-post.ts';
import { contactAt, textFor } from './contacts.ts';
import { hangUp, readOptions, tell } from './parent.ts';

/*
 * The limit of sending: a pool of 64 connections and a loop on each. The bodies are made before the clock starts; nothing
 * is read from a file, rendered, recorded, limited or decided, no answer is looked at beyond being read to its end. What
 * it leaves out is everything Tuma is for.
 */

interface BareOptions {
  origin: string;
  messages: number;
}

const CONNECTIONS = 64;

const { origin, messages } = readOptions<BareOptions>();
const bodies = Array.from({ length: messages }, (_, index) => bodyOf(index));
const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1, allowH2: false });
let next = 0;
let answered = 0;

async function main(): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, sendMany));
  await pool.close();
  tell({ answered });
  hangUp();
}

async function sendMany(): Promise<void> {
  while (next < bodies.length) {
    const body = bodies[next] as string;
    next += 1;
    const answer = await barePost(pool, body);
    if (answer.includes('"messageid"')) answered += 1;
  }
}

function bodyOf(index: number): string {
  const contact = contactAt(index);
  const { mobile } = contact;
  const fields = { apikey: 'bench-key', apisecret: 'bench-secret', message: textFor(contact) };
  return JSON.stringify({ ...fields, shortcode: 'DUKA', mobile });
}

await main();
