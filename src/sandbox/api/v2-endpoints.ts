import type { ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import type { Customers } from '../customers/customers.ts';
import { errorBody, sendBody } from './http-answers.ts';
import { writeCredit } from '../money.ts';
import { SAMPLE_MEDIA } from './sample-media.ts';
import type { Handler } from './server.ts';
import type { V2Access } from './v2-access.ts';

/** The parts behind the v2 endpoints. */
export interface V2Parts {
  access: V2Access;
  account: Account;
  customers: Customers;
}

/** Prefix of the v2 paths. */
export const V2_PREFIX = '/api/v2/';

const CREDITS = '/api/v2/account/credits';
const MEDIA = /^\/api\/v2\/messages\/whatsapp\/([\w-]+)\/media$/;

/** Handles a request to the v2 API (API document 4.3, 4.4). A failed authentication answers as in section 7. */
export function handleV2(parts: V2Parts, { path, request, response }: Parameters<Handler>[0]): void {
  if (!parts.access.opens(request)) {
    refuse(response, { status: 401, message: 'Invalid API key or secret' });
    return;
  }
  if (request.method !== 'GET') {
    refuse(response, { status: 405, message: 'Use GET' });
    return;
  }
  const id = MEDIA.exec(path)?.[1];
  if (path === CREDITS) sendCredits(response, parts.account);
  else if (id === undefined) refuse(response, { status: 404, message: 'Not found' });
  else sendMedia(response, { id, customers: parts.customers });
}

/** The API document does not show this body; related services wrap it in `data`. */
function sendCredits(response: ServerResponse, { balanceMicro }: Account): void {
  const credits = writeCredit(balanceMicro);
  sendBody(response, { status: 200, body: JSON.stringify({ status: 'success', data: { credits } }) });
}

function sendMedia(response: ServerResponse, { id, customers }: { id: string; customers: Customers }): void {
  const name = customers.mediaOf(id);
  if (name === null) {
    refuse(response, { status: 404, message: 'Media not found' });
    return;
  }
  const { bytes, mimeType } = SAMPLE_MEDIA[name];
  sendBody(response, { status: 200, body: bytes, type: mimeType });
}

function refuse(response: ServerResponse, { status, message }: { status: number; message: string }): void {
  sendBody(response, { status, body: errorBody(message) });
}
