import { z } from 'zod';
import { letBack, optOutByHand } from '../../../campaign/operator/opt-outs-by-hand.ts';
import { importUploadedOptOuts } from '../../../campaign/operator/uploaded-opt-outs.ts';
import { MOST_REASON_CHARS } from '../../../domain/reason.ts';
import { parseMobile } from '../../../domain/numbers/mobile.ts';
import { SUPPRESSIONS } from '../../../domain/row-reason.ts';
import { maskMobile, maskText } from '../../../domain/text/mask.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { OptOutRow } from '../../../ledger/contracts/replies.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { numberStanding } from '../../../reports/number-standing.ts';
import { sealsOf } from '../../session/sealed.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { fileQuery, incomingOf, LIST_TYPES, withFileBodies } from '../file-body.ts';
import { done } from '../once.ts';
import { ApiError } from '../problem.ts';
import { Count, Next, ORDER_HEADERS, pageQuery } from '../schemas/common.ts';
import { OptOut, OptOutEvent } from '../schemas/people.ts';

const tags = ['People'];
const MOST_NUMBERS = 10_000;

/** The place of a row; numbers stay inside of it, because a cursor stands in addresses. */
const Place = z.object({ mobile: z.string(), kind: z.enum(SUPPRESSIONS), sender: z.string() });

const Numbers = z.strictObject({
  mobiles: z
    .array(z.string().max(40))
    .min(1)
    .max(MOST_NUMBERS)
    .describe('Numbers in any usual form; a national one is of TUMA_COUNTRY.'),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(MOST_REASON_CHARS)
    .optional()
    .describe('Why, for the history of the number.'),
});

const Imported = z.object({
  read: Count.describe('All rows: added, known, dead and invalid.'),
  added: Count,
  known: Count.describe('Opted out already.'),
  dead: Count.describe('Numbers that networks failed, in a file of `optouts export`: nobody wished it.'),
  invalid: Count.describe('Rows without a number.'),
  sheet: z.string().nullable().describe('Of a workbook: the sheet that was read.'),
  rejected: z
    .array(z.object({ line: z.int(), reason: z.string(), detail: z.string() }))
    .describe('The first 100 rows without a number.'),
});

/** Numbers that get no offers. */
export function optOutRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  changeRoutes(api, env);
  withFileBodies(api, (scope) => importRoute(scope, env));
  api.post(
    '/optouts/find',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'One number: what holds, and how it came to that',
        description: 'A POST, because a number must not stand in an address.',
        body: z.strictObject({ mobile: z.string().max(40) }),
        response: { 200: z.object({ opt_outs: z.array(OptOut), history: z.array(OptOutEvent) }) },
      },
    },
    async (request) => {
      const mobile = numberOf(request.body.mobile, env);
      const reader = await env.web.reader();
      const { optOuts, history } = await numberStanding(reader, mobile);
      const { seesNumbers } = askerOf(request);
      return {
        opt_outs: optOuts.map((row) => optOutOf(row, seesNumbers)),
        history: history.map(({ at, change, sender, source, by, evidence }) => ({
          at: isoTime(at),
          change,
          sender: sender || null,
          source,
          by,
          evidence: shownEvidence(evidence, seesNumbers),
        })),
      };
    },
  );
}

function listRoute(api: Api, env: ApiEnv): void {
  api.get(
    '/optouts',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'Numbers that get no offers, in order of number',
        querystring: z.object(pageQuery(2_000, 500)),
        response: { 200: z.object({ opt_outs: z.array(OptOut), next: Next }) },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query;
      const seals = await sealsOf(env.web);
      const opened = cursor === undefined ? undefined : (seals.open('cursor', cursor) ?? '');
      const after = placeOf(opened, Place);
      const rows = await (await env.web.reader()).optOuts({ after, limit });
      const last = rows.at(-1);
      const { seesNumbers } = askerOf(request);
      return {
        opt_outs: rows.map((row) => optOutOf(row, seesNumbers)),
        next:
          rows.length === limit && last !== undefined ? seals.seal('cursor', cursorOf(placeIn(last))) : null,
      };
    },
  );
}

function placeIn({ mobile, kind, sender }: OptOutRow): z.output<typeof Place> {
  return { mobile, kind, sender };
}

function changeRoutes(api: Api, env: ApiEnv): void {
  const { web, repeats } = env;
  api.post(
    '/optouts',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'Send no more offers to these numbers',
        headers: z.looseObject(ORDER_HEADERS),
        body: Numbers,
        response: { 200: z.object({ added: Count.describe('Those that had not opted out already.') }) },
      },
    },
    async (request) => {
      const { mobiles, reason } = request.body;
      const numbers = mobiles.map((mobile, index) => numberOf(mobile, env, index));
      const { document } = await repeats.once(request, async () => {
        const order = { mobiles: numbers, by: askerOf(request).by, reason: reason ?? null };
        return done({ added: await optOutByHand({ ledger: await web.ledger(), clock: web.clock }, order) });
      });
      return document;
    },
  );
  api.post(
    '/optouts/remove',
    {
      config: { may: 'operator' },
      schema: {
        tags,
        summary: 'Let offers go to these numbers again, of every sender',
        headers: z.looseObject(ORDER_HEADERS),
        body: Numbers,
        response: { 200: z.object({ removed: Count }) },
      },
    },
    async (request) => {
      const { mobiles, reason } = request.body;
      const numbers = mobiles.map((mobile, index) => numberOf(mobile, env, index));
      const { document } = await repeats.once(request, async () => {
        const order = { mobiles: numbers, by: askerOf(request).by, reason: reason ?? null };
        return done({ removed: await letBack({ ledger: await web.ledger(), clock: web.clock }, order) });
      });
      return document;
    },
  );
}

function importRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/optouts/import',
    {
      config: { may: 'operator', takes: LIST_TYPES },
      schema: {
        tags,
        summary: 'Send no more offers to the numbers of a list: a CSV or a workbook as the body',
        description:
          'The column mobile, phone, msisdn, tel, number or cell has the numbers. It is read when it is whole; a list that is sent again changes nothing more.',
        querystring: fileQuery('opt-outs'),
        response: { 200: Imported },
      },
    },
    async (request) => {
      const incoming = incomingOf(request, request.query.name);
      const upload = {
        ...incoming,
        name: printableLine(incoming.name),
        folder: web.temporary.path,
        country: web.config.country,
        by: askerOf(request).by,
      };
      const env = { ledger: await web.ledger(), clock: web.clock };
      const { sheet, rejected, ...counts } = await importUploadedOptOuts(env, upload);
      return {
        ...counts,
        sheet: sheet === null ? null : printableLine(sheet.name),
        rejected: rejected.map(({ line, reason, detail }) => ({ line, reason, detail: maskText(detail) })),
      };
    },
  );
}

/** International digits. Throws ApiError `request_invalid`, without the number. */
function numberOf(text: string, { web }: ApiEnv, index: number | null = null): string {
  const parsed = parseMobile(text, web.config.country);
  if (parsed.ok) return parsed.mobile;
  const path = index === null ? ['mobile'] : ['mobiles', String(index)];
  throw new ApiError('request_invalid', 'A number is wrong.', {
    errors: [{ path, message: maskText(parsed.detail) }],
  });
}

/** A number without offers, as programs see it. */
export function optOutOf(row: OptOutRow, seesNumbers: boolean): z.output<typeof OptOut> {
  const { mobile, kind, sender, source, at, evidence } = row;
  return {
    mobile: seesNumbers ? mobile : maskMobile(mobile),
    kind,
    sender: sender || null,
    source,
    since: isoTime(at),
    evidence: shownEvidence(evidence, seesNumbers),
  };
}

/** A reply goes to a number, too: `replied "STOP" to 254712345678`. */
function shownEvidence(evidence: string | null, seesNumbers: boolean): string | null {
  return evidence === null || seesNumbers ? evidence : maskText(evidence);
}
