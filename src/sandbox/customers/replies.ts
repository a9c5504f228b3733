import type { AcceptedEntry } from '../truth/truth-entry.ts';

/** A failure: a response code and words for a person. */
export interface Failure {
  code: string;
  description: string;
}

/** Writes the body of a failure. The API document shows none, so the keys are those of a success. */
export function failureBody({ code, description }: Failure): string {
  return JSON.stringify({ responsecode: code, responsedescription: description });
}

/** The success of a send (API document 2.2): all strings. `changes` replaces or, with undefined, drops fields. */
export function successBody(
  message: Pick<AcceptedEntry, 'mobile' | 'messageid' | 'network' | 'cost'>,
  changes: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    responsecode: '200',
    responsedescription: 'Success',
    mobile: message.mobile,
    messageid: message.messageid,
    networkid: message.network,
    messagecost: message.cost,
    ...changes,
  });
}

/** The success of a balance check (API document 2.4). */
export function balanceBody(account: { credit: string; clientId: string }): string {
  return JSON.stringify({ 'response-code': 200, credit: account.credit, clientId: account.clientId });
}

/** A whole HTTP/1.1 answer for a socket; its declared length may be wrong on purpose. */
export function rawAnswer(body: string, declaredLength = Buffer.byteLength(body)): string {
  return `${rawHead(`Content-Length: ${declaredLength}`)}${body}`;
}

/** Status line and headers of a 200 with JSON, with the header lines given. */
export function rawHead(...headers: string[]): string {
  return ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
}
