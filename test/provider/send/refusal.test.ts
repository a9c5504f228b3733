import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { RefusalClass } from '../../../src/provider/provider.ts';
import { createSuccessReader } from '../../../src/provider/send/denied.ts';
import { createRefusalReader } from '../../../src/provider/send/refusal.ts';
import { classify, refused } from '../recorded.ts';
import { TEXT } from '../support.ts';

/* Words under a code that no profile lists and without a messageid, as services of several countries have them. */

const read = createRefusalReader(defaultProfile.send);
const said = (words: string) => read({ code: '101', words });

const REFUSALS: Record<string, RefusalClass> = {
  'Sender Id not whitelisted': 'sender',
  'Shortcode not mapped to account': 'sender',
  'You do not own this sender': 'sender',
  'Sender ID pending approval': 'sender',
  'Sender name too long': 'sender',
  'Sender must be at most 11 characters': 'sender',
  'Please provide sender id': 'sender',
  SENDER_ID_ERROR: 'sender',
  'Sender ID haijasajiliwa': 'sender',
  'Sender non autorisé': 'sender',
  'No valid recipients': 'contact',
  'Mobile number not provided': 'contact',
  'Mobile number must be 12 digits': 'contact',
  'The mobile number is too short': 'contact',
  'Illegal mobile number': 'contact',
  'Mobile number si sahihi': 'contact',
  'Le champ mobile est obligatoire': 'contact',
  'No route for mobile 254712345678': 'contact',
  'Recipient unsubscribed': 'contact',
  "You don't have enough units": 'credit',
  'You do not have sufficient credit': 'credit',
  'Your balance of 0.20 is not sufficient': 'credit',
  'Cost exceeds your balance': 'credit',
  'Insufficient balance: 0': 'credit',
  'Credit haitoshi': 'credit',
  'Huna salio la kutosha': 'credit',
  'Crédit insuffisant': 'credit',
  'Solde insuffisant': 'credit',
  'Crédits épuisés': 'credit',
  'Your balance is too low': 'credit',
  'Payment Required': 'credit',
  'Expéditeur refusé': 'sender',
  'Numéro invalide': 'contact',
  'Message is required': 'request',
  'Not queued: insufficient balance': 'credit',
  'No API Key is set': 'credentials',
  'API key has been revoked': 'credentials',
  'Unauthorized sender ID': 'sender',
  'Shortcode is required': 'sender',
  'Sender ID must not be empty': 'sender',
  'Mobile number not recognised': 'contact',
  'Not a valid recipient': 'contact',
  'Balance too low: 0': 'credit',
  'Not enough balance: 0': 'credit',
  "You don't have enough units: 0": 'credit',
  'Your balance of 0 is not sufficient': 'credit',
  'Invalid mobile number (no credit deducted)': 'contact',
  'Mobile rejected: no credit was used': 'contact',
  'Cannot send to a blacklisted recipient': 'opted_out',
  'Could not be sent to a DND number': 'opted_out',
  'Message was not delivered because the number is blacklisted': 'opted_out',
  "The message wasn't sent because the balance is insufficient": 'credit',
  'No SMS sent due to insufficient balance': 'credit',
  'Message non envoyé: numéro invalide': 'contact',
  "Le message n'a pas été envoyé: solde insuffisant": 'credit',
  'Error: no credit': 'credit',
  'Out of credit: 0': 'credit',
  InsufficientFunds: 'credit',
  'mobileNumber must be 12 digits': 'contact',
  'Sender ID is pending approval': 'sender',
  'Invalid mobile number +254 712 345 000': 'contact',
  SenderIDNotFound: 'sender',
  'Mobile no is invalid': 'contact',
  'Mobile No. is invalid': 'contact',
  'Recipient no 254712345678 is blacklisted': 'opted_out',
  'T-Mobile recipient blocked': 'contact',
  "Sender ID isn't registered": 'sender',
  'Cannot deliver to a blacklisted recipient': 'opted_out',
  'Message cannot be delivered to blacklisted number': 'opted_out',
  'Could not process request insufficient balance': 'credit',
  'Not submitted as you have insufficient credit': 'credit',
  "Can't send SMS: insufficient balance": 'credit',
  'No message has been queued: insufficient balance': 'credit',
  'Message could not be successfully queued: insufficient balance': 'credit',
  'Message non envoyé car le solde est insuffisant': 'credit',
  "Aucun message n'a été envoyé: solde insuffisant": 'credit',
  'Le message n’a pas pu être envoyé: solde insuffisant': 'credit',
  'Le message ne peut être envoyé: solde insuffisant': 'credit',
  'Account balance exhausted 0.00': 'credit',
  'Crédit épuisé: 0': 'credit',
  'Salio halitoshi: 0': 'credit',
  'You can’t send to a blacklisted number': 'opted_out',
  'Message not allowed for DND numbers': 'opted_out',
  'Credit depleted: 0': 'credit',
  'Nothing was sent: insufficient balance': 'credit',
  'Message can not be sent: insufficient balance': 'credit',
  'No SMS was sent, no message delivered: sender blocked': 'sender',
  'Message will not be sent: insufficient balance': 'credit',
  'Insufficient balance. Please top up': 'credit',
  'Sorry, you do not have enough credit to send this message': 'credit',
  'Your account has insufficient credit. Current balance: KES 0.00': 'credit',
  'Wrong username or password': 'credentials',
  'You are not authorized to use this sender id': 'sender',
  'Sorry! Sender ID TUMA is not registered for this account': 'sender',
  "Shortcode: '22141' does not exist": 'sender',
  'Error 003: invalid sender id': 'sender',
  'Message rejected by Safaricom: recipient opted out': 'opted_out',
  'Insufficient funds in account': 'credit',
  'Unable to process request: insufficient balance': 'credit',
  'Failed to submit: invalid sender ID': 'sender',
  'Message rejected: insufficient balance': 'credit',
  'Credit limit exceeded': 'credit',
  'Low bulk credits': 'credit',
  'Error 0031: insufficient balance': 'credit',
  'Insufficient balance. Required: 0.80, available: 0.20': 'credit',
  'Insufficient wallet balance': 'credit',
  'Invalid API credentials': 'credentials',
  'Your credentials are incorrect': 'credentials',
  'API key is invalid or expired': 'credentials',
  'API key is not set': 'credentials',
  'Invalid sender address': 'sender',
  'Invalid senderid': 'sender',
  'The selected sender id is invalid.': 'sender',
  ApplicationSenderIdNotFound: 'sender',
  "Nom d'expéditeur invalide": 'sender',
  'The phone field is required.': 'request',
  'Mobile number must be 12 digits long': 'contact',
  UnsupportedNumberType: 'contact',
  'Destination blacklisted': 'opted_out',
};

describe('words of success', () => {
  const speaks = createSuccessReader(defaultProfile.send);

  it.each([
    'Success',
    'Message queued',
    'Sender accepted, not DND',
    'No error: accepted',
    'No error (queued)',
    'Not blocked - sent',
    'Accepté',
    'Message envoyé. Solde insuffisant pour le prochain',
    '2 SMS envoyés. Solde insuffisant',
    'Demande acceptée. Solde insuffisant',
    'SMS zimetumwa. Salio halitoshi',
    'Message n° 12 envoyé',
    'Ujumbe umetumwa. Salio lako halitoshi kwa ujumbe mwingine',
  ])('"%s" holds one', (words) => {
    expect(speaks(words)).toBe(true);
  });

  it.each([
    'not accepted',
    'Could not be queued',
    'Cannot be queued',
    'never submitted',
    'No message queued',
    'No success',
    'not re-queued',
    'unsuccessful',
    "wasn't sent",
    'Message non envoyé',
    "Le message n'a pas été envoyé",
    'Ujumbe haujatumwa',
    null,
  ])('"%s" holds none, or denies it', (words) => {
    expect(speaks(words)).toBe(false);
  });
});

describe('a code of the profile', () => {
  it('is meant whatever stands around it', () => {
    expect(read({ code: ' 1005 ', words: 'Invalid sender' })).toBeNull();
    expect(read({ code: ' 1003 ', words: null })).toBe('contact');
  });

  it('refuses beside a messageid, and lets vague words say whose fault it is', () => {
    expect(read({ code: '1003', words: 'Low balance', message_id: '77' })).toBe('credit');
    expect(read({ code: '1003', words: 'Mobile unknown to sender', message_id: '77' })).toBe('contact');
  });
});

it('words of a profile count whatever is between their letters, short ones alone, and none without letters', () => {
  const rows = ['-', 'DND', 'ab', 'N° Bad-1 Num.'].map((word, at) => ({
    refusal: (['request', 'opted_out', 'sender', 'contact'] as const)[at] as RefusalClass,
    words: [word],
  }));
  const own = createRefusalReader({ ...defaultProfile.send, refusal_words: rows });
  const classes = ['On DND', 'Hadndle', 'ab', 'about', 'n bad num', 'anything'].map((words) =>
    own({ code: '101', words }),
  );
  expect(classes).toEqual(['opted_out', null, 'sender', null, 'contact', null]);
});

describe('words alone', () => {
  it.each(Object.entries(REFUSALS))('"%s" refuses: %s', (words, refusal) => {
    expect(said(words)).toBe(refusal);
  });

  it.each([
    'Recipients: 1, failed: 0',
    'Valid recipients: 1. Invalid recipients: 0',
    '1 recipient, 0 invalid',
    'Recipients 1; rejected: 0; blacklisted: 0',
    'Total mobile numbers: 1, Invalid mobile numbers: 0',
    'Blacklisted mobile numbers: 0',
    'Opted-out recipients: 0',
    'DND filtered: 0',
    'rejected mobile numbers (0)',
    'Invalid recipients: none',
    'Missing parameters: []',
    'No invalid recipients',
    'There are no blacklisted numbers',
    'Recipient is not blacklisted',
    'Test mode: no credits deducted',
    'Sandbox: no balance was deducted',
    'No credit is required',
    'No reply is required from the recipient',
    'Zero invalid recipients',
    'Without missing parameters',
    'Sufficient balance (0 rejected)',
    'Pending. Expired units: 0. Balance: 20',
    'Message exceeds 160 characters and takes 2 units',
    'Failed deliveries are credited to your balance',
    'No further action is required. Balance: 93.20',
    'In progress. Balance is not updated yet',
    'Failed to update the balance',
    'The balance could not be read',
    'The recipient cannot reply to this sender',
    'Delivery reports are not supported for this sender',
    'Sending. Low balance: 20',
    'Twins were rejected. Balance: 93.20',
    'Account Techno balance 93.20',
    'Casino credits left 20',
    'Message to 1 recipient pending approval',
    'None of the recipients were rejected',
    'No recipients were rejected',
    'No invalid or blacklisted recipients',
    'Neither recipient nor sender is blocked',
    "The mobile isn't blocked",
    'Number is not in the blacklist',
    'OK. Not on DND',
    'No longer blacklisted',
    'Aucun destinataire refusé',
    'Aucun numéro invalide',
    'DND: no',
    'DND=false',
    'Rejected recipients: "0"',
    'Rejected recipients => null',
    'Rejected recipients 0',
    'Rejected recipients: 0.0',
    'Rejected recipients: -',
    'Rejected messages are credited back to your balance',
    'Messages to blacklisted numbers are not charged',
    'If the number is invalid, your credit is given back',
    'Top up to avoid insufficient balance',
    'Your balance may be insufficient for your next campaign',
    'Insufficient balance alert: disabled',
    'Insufficient balance: false',
    'Insufficient credit: no',
    'Low balance alert (insufficient balance)',
    'Before your next campaign - balance too low',
    'Balance may be insufficient',
    'Solde insuffisant pour le prochain envoi',
    'Balance will soon be insufficient',
    'No messages were rejected due to insufficient balance',
    'Number not found in the blacklist',
    'Recipient no longer blocked',
    '1 recipient no rejected ones',
    "No recipient's number is blocked",
    'Sender isn’t blocked',
    'Messages to blacklisted numbers will be skipped',
    "We don't deliver to blacklisted numbers",
    'Credits for rejected messages are returned',
    'Blacklist: clean',
    '0/1 recipients rejected',
    'Blacklist check passed',
    'Blacklist: not matched',
    'DND check: passed',
    'DND check passed',
    'Blacklist checked',
    'No blacklisted recipient was found',
    'Recipient checked against the blacklist',
    'Sent to operator, DND applies',
    'Your balance is running low',
    'Balance 20. Sender TUMA. Recipient 254712345678',
    'Blocked words: none. Sender TUMA',
    'Expired credits: 5. Balance: 93',
    'Your credits have expired bundles',
    'Message in progress. 5 credits deducted. Invalid characters were replaced for this recipient',
    'We will not charge for rejected recipients',
    'Promotional messages are not delivered to DND numbers',
    'Delivery to blacklisted numbers is not possible',
    'Reply STOP to opt out',
    'Text contains opt-out link',
    'Optout url missing, appended',
    'Recipients who opted out are excluded',
    'Excluded blacklisted: 0',
    'Blacklisted: 0, invalid: 0, sent: 1',
    'Blacklist disabled',
    'Please note: insufficient balance will stop your campaign',
    'Insufficient balance for further messages',
    'Balance insufficient for the remaining messages',
    'Remaining balance insufficient for more',
    'Message taken. Missing delivery report url',
    'Missing callback parameter; using the default',
    'Unknown parameter ignored',
    "Unknown field 'x'",
    'Optional parameter missing',
    'Field linkid missing, default used',
    'Duplicate parameter',
    'Message taken but balance insufficient for next',
    'After this message your balance is insufficient',
    'Your balance is now insufficient',
    'Message taken, sender invalid replaced by default',
    'Recipient 0 is invalid',
    'Recipient unblocked',
    'Le solde peut être insuffisant',
    'The balance will be insufficient',
    'Credited: blocked',
    'Number is blacklisted and will be skipped',
    'Cannot use this sender because it is blocked',
    'Sender ID not found - contact support if this is an error',
    'Invalid API key received',
    'Sender Never is rejected',
    'Sender is never blocked',
    'The balance can be insufficient',
    'You can have no balance',
    'Rejected credited',
    'Message is in queue. Insufficient balance',
    'In queue: insufficient balance, please top up',
    'Request complete. Your balance is insufficient',
    'Request in process. Sender ID not registered',
    'Message length limit exceeded: cost 2 credits',
    'SMS quota exceeded, cost 1 credit',
    'A total of 2 credits is required for this message',
    'Top up is required, your balance is 20 KES',
    'KES 1.00 has been blocked on your balance',
    'Credit for rejected message: 1.00',
    'Account balance 93.20, rejected SMS 5',
    'Balance 93.20, invalid recipient',
    'Cost 1 KES. No units left',
    'Low bulk balance: 20 KES. Please top up',
    'DND message: cost 4 NGN',
    'Message id missing',
    'Missing message-id: no reason given by operator',
    'No error. Your balance is too low',
    'Error: none. Balance insufficient',
    'Error code: 0. Balance insufficient',
    'Sender ID was set to 20880 because sender is not registered',
    'Message from 22141 because sender is invalid',
    'Your balance of 20 is insufficient for 100 messages',
  ])('"%s" may be said of an acceptance', (words) => {
    expect(said(words)).toBeNull();
  });

  it('are read as far as any refusal goes, for a body full of them would hold up all other answers', () => {
    expect(said(`${'the '.repeat(400)}Invalid sender`)).toBe('sender');
    expect(said(`${'the '.repeat(500)}Invalid sender`)).toBeNull();
    expect(said(`Invalid sender${' the'.repeat(500)}`)).toBeNull();
    expect(read({ code: '101', words: `Invalid sender${' the'.repeat(500)}`, refusedByStatus: true })).toBe(
      'sender',
    );
  });

  it.each([
    'DND: off',
    'Blacklisted = null',
    'DND=false',
    'Blacklist: nil',
    'DND: empty',
    'Opted out: zero',
    'Blacklisted: 0',
  ])('"%s" puts nobody among the opt-outs where the status refuses', (words) => {
    expect(read({ code: '101', words, refusedByStatus: true })).not.toBe('opted_out');
  });

  it('of a profile in another language speak of success with their accents or without', () => {
    const french = createRefusalReader({ ...defaultProfile.send, success_words: ['Envoyé'] });
    for (const words of ['Envoyé. Mobile invalide', 'ENVOYE. Mobile invalide'])
      expect(french({ code: '101', words })).toBeNull();
  });

  it.each([
    ' none ',
    'None',
    '0',
    '-1',
    'N/A',
    'ERROR',
    'Failed',
    'unknown',
    'NaN',
    'INVALID',
    'not available',
  ])('refuse beside "%s" in the place of a messageid, which is none', (id) => {
    expect(read({ code: '101', words: 'Invalid sender', message_id: id })).toBe('sender');
  });

  it('refuse nothing beside a messageid, which may be all letters', () => {
    expect(read({ code: '101', words: 'Invalid sender', message_id: 'qWxAbc' })).toBeNull();
  });
});

describe('the words of an answer', () => {
  it.each([
    { error: 'Bad Request', message: 'Insufficient balance', statusCode: 400 },
    { error: 'true', message: 'Insufficient balance' },
    { error: 1, message: 'Insufficient balance' },
    { error: 'Insufficient balance', message: 'Failed' },
    { error: 'validation_error', message: 'Insufficient balance' },
    { message: '', error: 'Insufficient balance' },
    { code: 106, desc: 'Insufficient balance' },
    { code: 106, msg: 'Insufficient balance' },
    { detail: 'Insufficient balance' },
    { ResponseCode: '12', ResponseMessage: 'Insufficient balance' },
    { status_code: '402', status_description: 'Insufficient balance' },
  ])('are found in %j', (body) => {
    for (const status of [200, 400])
      expect(classify({ row: '', is: {}, status, body })).toMatchObject(refused('credit'));
  });

  it.each([
    ['Failed', 'Insufficient balance', 'Failed. Insufficient balance'],
    ['Insufficient balance', 'true', 'Insufficient balance'],
    ['Insufficient balance', 'Insufficient', 'Insufficient balance'],
    [undefined, 'true', 'true'],
  ])('%s beside the error %s are shown as "%s"', (message, error, shown) => {
    expect(classify({ row: '', is: {}, body: { message, error } }).words).toBe(shown);
  });

  it('that speak of success, or hold the text that was sent, refuse nothing by what stands beside them', () => {
    for (const said of [{ message: 'Queued', error: 'Invalid sender' }, { error: `Invalid sender: ${TEXT}` }])
      expect(classify({ row: '', is: {}, body: said }).outcome).toBe('unknown');
  });
});
