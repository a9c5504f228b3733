import type { FastifyRequest } from 'fastify';

/**
 * The fields of a form; where a request brings none, those of its address. What is no text, or came several times, is
 * left out.
 */
export function fieldsOf({ body, query, method }: FastifyRequest): Record<string, string> {
  return textsIn(method === 'GET' ? query : body);
}

/** One field; empty: it was not sent. */
export function formField(request: FastifyRequest, name: string): string {
  return fieldsOf(request)[name] ?? '';
}

/** What of an object is text. */
export function textsIn(fields: unknown): Record<string, string> {
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
}

/** The path to go to after a form. Only one of ours counts: `//host` would be another place. */
export function ownPath(text: string): string {
  return /^\/(?!\/)[\w/.~?=&%-]*$/.test(text) ? text : '/campaigns';
}
