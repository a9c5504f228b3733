import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { RefusalClass } from '../../../src/provider/provider.ts';
import { createRefusalReader } from '../../../src/provider/send/refusal.ts';

/* Words choose the class of a refusal that a code or the HTTP status made. They never refuse by themselves. */

const read = createRefusalReader(defaultProfile.send);
const refusedByStatus = true;

const CLASSES: Record<string, RefusalClass> = {
  'Sender Id not whitelisted': 'sender',
  'Shortcode not mapped to account': 'sender',
  SENDER_ID_ERROR: 'sender',
  'Sender ID haijasajiliwa': 'sender',
  SenderIDNotFound: 'sender',
  'Unauthorized sender ID': 'sender',
  'Expéditeur refusé': 'sender',
  'No valid recipients': 'contact',
  'Mobile number must be 12 digits': 'contact',
  mobileNumberInvalid: 'contact',
  'Numéro invalide': 'contact',
  "You don't have enough units": 'credit',
  'Insufficient balance: 0': 'credit',
  InsufficientFunds: 'credit',
  'Payment Required': 'credit',
  'Crédit insuffisant': 'credit',
  'Huna salio la kutosha': 'credit',
  'No API Key is set': 'credentials',
  'Unauthorized request': 'credentials',
  'SenderName Blacklisted': 'opted_out',
  'Could not be sent to a DND number': 'opted_out',
  'Network not allowed': 'network',
  'Message is required': 'request',
};

describe('a refusal by the HTTP status', () => {
  it.each(Object.entries(CLASSES))('gets its class from the words %j: %s [P8]', (words, refusal) => {
    expect(read({ code: null, words, refusedByStatus })).toBe(refusal);
    expect(read({ code: '101', words, refusedByStatus })).toBe(refusal);
  });

  it.each(['Bad Request', 'Creditors', 'automobile', 'The senders’ guild', '', null])(
    'has no class of its own with the words %j: only whole words count [P8]',
    (words) => {
      expect(read({ code: null, words, refusedByStatus })).toBeNull();
    },
  );

  it('takes the first class of the profile whose words are there [P8]', () => {
    expect(read({ code: null, words: 'mobile blacklisted', refusedByStatus })).toBe('opted_out');
  });

  it('reads no more of a text than a refusal needs [P8]', () => {
    expect(read({ code: null, words: `${'x '.repeat(1_000)} balance`, refusedByStatus })).toBeNull();
  });
});

describe('a refusal by a listed code', () => {
  it('has the class of the code where the words name none, or name it as well [P6]', () => {
    expect(read({ code: '1003', words: 'nope' })).toBe('contact');
    expect(read({ code: ' 1003 ', words: 'Invalid mobile, credit not charged' })).toBe('contact');
  });

  it('has the class of the words where they disagree [P6]', () => {
    expect(read({ code: '1001', words: 'Low bulk credits' })).toBe('credit');
  });

  it.each(['Success', 'Message queued, low credits', 'Sent to one recipient'])(
    'is uncertain beside words of success: %s [P6b]',
    (words) => {
      expect(read({ code: '1004', words })).toBeNull();
    },
  );

  it.each([
    'Message not sent: low credits',
    'Cannot be queued, low balance',
    "Can't be delivered: no credit",
  ])('stands beside words that deny the success: %s [P6]', (words) => {
    expect(read({ code: '1004', words })).toBe('credit');
  });

  it('is none under a code that says nothing sure, even where the status refuses [P6b]', () => {
    expect(read({ code: '1005', words: 'Insufficient balance', refusedByStatus })).toBeNull();
  });
});

it.each(Object.keys(CLASSES))('the words %j alone refuse nothing [P6b]', (words) => {
  expect(read({ code: null, words })).toBeNull();
  expect(read({ code: '101', words })).toBeNull();
});
