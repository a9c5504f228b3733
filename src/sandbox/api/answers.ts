/** The real fate of a message: `accepted` (debited), `refused`, or `coin` (drawn from seed and number). */
export type Fate = 'accepted' | 'refused' | 'coin';

/** The fate behind an answer, and its look. */
export interface AnswerFacts {
  fate: Fate;
  /** The client's view; docs/sandbox.md shows it. */
  means: string;
}

/** Every answer to a send, by its name in a fault script. */
export const ANSWERS = {
  ok: { fate: 'accepted', means: 'The success of API document 2.2.' },
  delay: { fate: 'accepted', means: 'The success, `ms` later (2000).' },
  hang: { fate: 'coin', means: 'Nothing, ever; the connection stays open.' },
  rst_on_accept: { fate: 'refused', means: 'A reset; nothing of the message was used.' },
  rst_after_headers: { fate: 'coin', means: "A reset after the answer's status and headers." },
  rst_after_body: { fate: 'accepted', means: 'A reset after the request was read, without an answer.' },
  fin_after_body: { fate: 'coin', means: 'The connection is closed in order, without an answer.' },
  half_body: { fate: 'accepted', means: 'Half of the success, then the connection is closed.' },
  drip: { fate: 'accepted', means: 'The success, its body one byte each `ms` (100).' },
  drip_headers: {
    fate: 'accepted',
    means: 'The success, one byte each `ms` (100), from the status line on.',
  },
  chunked_forever: { fate: 'coin', means: 'A chunked body that never ends, one chunk each `ms` (100).' },
  '1xx_flood': { fate: 'coin', means: 'Interim answers (103) without end.' },
  html_502: { fate: 'coin', means: '502 with the HTML page of a gateway.' },
  redirect_307: { fate: 'refused', means: '307 to another path, which records who follows.' },
  '401_json': { fate: 'refused', means: '401 with the body of API document section 7.' },
  '400_json': { fate: 'refused', means: '400 with a descriptive body.' },
  '429': { fate: 'refused', means: '429 with Retry-After: `retry_after` seconds (1).' },
  '500': { fate: 'coin', means: '500 with a JSON body.' },
  '503': { fate: 'coin', means: '503 without Retry-After: a gateway may have passed the request on.' },
  '503_retry_after': { fate: 'refused', means: '503 with Retry-After: `retry_after` seconds (1).' },
  '200_fail_code': {
    fate: 'coin',
    means: '200 with response code `code` (1003). Codes that refuse are not accepted; all others are a coin.',
  },
  '200_garbage': { fate: 'coin', means: '200 with bytes that are no JSON.' },
  '200_empty': { fate: 'coin', means: '200 without a body.' },
  '200_no_id': { fate: 'accepted', means: 'The success without `messageid`.' },
  '200_dup_id': { fate: 'accepted', means: 'The success with the id of the message accepted before it.' },
  '200_wrong_mobile': { fate: 'accepted', means: 'The success with the number of somebody else.' },
  '200_number_code': { fate: 'accepted', means: 'The success with `responsecode` as a number.' },
  '200_number_id': { fate: 'accepted', means: 'The success with `messageid` as a number of twenty digits.' },
  '200_bad_cost': { fate: 'accepted', means: 'The success with a `messagecost` that cannot be read.' },
  unsolicited_second_response: {
    fate: 'accepted',
    means: "The success, and a second one for nobody's request on the same connection.",
  },
  gzip_bomb: { fate: 'coin', means: '200 with 32 MB of zeros in 32 kB of gzip.' },
  '64k_header': { fate: 'coin', means: '200 with one header of 64 kB.' },
  dlr_before_response: {
    fate: 'accepted',
    means: 'The success, after its delivery report was taken by the webhook.',
  },
} as const satisfies Record<string, AnswerFacts>;

/** The name of an answer, as a fault script writes it. */
export type AnswerName = keyof typeof ANSWERS;

/** Codes that surely refuse a message (provider's family, 5.2). */
export const REFUSAL_CODES: ReadonlySet<string> = new Set([
  '1001',
  '1002',
  '1003',
  '1004',
  '1006',
  '1010',
  '1012',
  '1104',
  '4091',
  '4092',
  '4093',
]);

/** The fate of a message after an answer. `code` matters to `200_fail_code` only. */
export function fateOf(answer: AnswerName, code: string): Fate {
  if (answer === '200_fail_code') return REFUSAL_CODES.has(code) ? 'refused' : 'coin';
  return ANSWERS[answer].fate;
}
