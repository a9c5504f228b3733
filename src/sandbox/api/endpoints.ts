import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdminParts, handleAdmin } from './admin.ts';
import { balanceBody, errorBody, failureBody, sendBody } from './http-answers.ts';
import { writeCredit } from '../money.ts';
import type { Settings } from '../options.ts';
import type { SendDesk } from './send-desk.ts';
import { checkBalanceRequest } from './send-request.ts';
import { jsonOf, type Handler } from './server.ts';
import { handleV2, V2_PREFIX, type V2Parts } from './v2-endpoints.ts';

/** The parts behind the endpoints. */
export interface EndpointParts extends V2Parts {
  settings: Settings;
  desk: SendDesk;
  admin: AdminParts;
}

type Service = (body: unknown, response: ServerResponse) => void;

/** Routes the endpoints of the service (API document 4.1 to 4.4) and the sandbox's own paths. */
export function createEndpoints(parts: EndpointParts): Handler {
  const services: Record<string, Service> = {
    '/api/services/sendsms': (body, response) => {
      parts.desk.receive(body, response);
    },
    '/api/services/checkbalance': (body, response) => {
      checkBalance(parts, { body, response });
    },
  };
  return (call) => {
    const service = services[call.path];
    if (service !== undefined) serve(service, call);
    else if (call.path.startsWith(V2_PREFIX)) handleV2(parts, call);
    else if (call.path.startsWith('/sandbox/')) handleAdmin(parts.admin, call);
    else sendBody(call.response, { status: 404, body: errorBody('Not found') });
  };
}

function serve(service: Service, call: Parameters<Handler>[0]): void {
  const problem = problemOf(call.request);
  if (problem === null) service(jsonOf(call.body), call.response);
  else sendBody(call.response, { status: problem.status, body: JSON.stringify(problem.body) });
}

/** Both messaging endpoints take POST with JSON (API document 4.1, 4.2). */
function problemOf(request: IncomingMessage): { status: number; body: object } | null {
  if (request.method !== 'POST') return { status: 405, body: { status: 'error', message: 'Use POST' } };
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return null;
  const words = 'Content-Type must be application/json';
  return { status: 415, body: { responsecode: '1009', responsedescription: words } };
}

function checkBalance(parts: EndpointParts, call: { body: unknown; response: ServerResponse }): void {
  const refused = checkBalanceRequest(call.body, parts.account);
  if (refused === null) {
    const credit = writeCredit(parts.account.balanceMicro);
    sendBody(call.response, {
      status: 200,
      body: balanceBody({ credit, clientId: parts.settings.clientId }),
    });
  } else {
    sendBody(call.response, { status: refused.httpStatus ?? 200, body: failureBody(refused.failure) });
  }
}
