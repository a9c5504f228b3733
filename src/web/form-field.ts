import type { FastifyRequest } from 'fastify';

/** A field of the form, or of the address; empty: it was not sent. */
export function formField({ body, query, method }: FastifyRequest, name: string): string {
  const fields = method === 'GET' ? query : body;
  if (typeof fields !== 'object' || fields === null) return '';
  const value = (fields as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

/** The path to go to after a form. Only one of ours counts: `//host` would be another place. */
export function ownPath(text: string): string {
  return /^\/(?!\/)[\w/.~?=&%-]*$/.test(text) ? text : '/campaigns';
}
