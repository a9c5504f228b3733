import { list, type Profile } from './profile.ts';
import { defaultOptOut } from './default-opt-out.ts';
import { defaultReports } from './default-reports.ts';

/**
 * The assumptions where the provider's API document says "not shown": the observed behaviour of this family.
 * A profile file can change any row (docs/profile.md).
 */
export const defaultProfile: Profile = {
  name: 'default',
  http: {
    refused: [400, 404, 405, 413, 415, 422],
    credentials: [401, 403],
    throttled: [429],
  },
  decimal: 'unknown',
  trailing_slash: false,
  rate_per: 'message',
  not_accepted: [],
  send: {
    wrappers: ['responses', 'response', 'results', 'recipients', 'messages', 'payload', 'data'],
    fields: {
      // "respose-code" is misspelt in real answers of this family.
      code: ['responsecode', 'resposecode', 'statuscode', 'errorcode', 'code'],
      words: list(`
        responsedescription, resposedescription, statusdesc, description, errordescription, errormessage,
        message, statusmessage, statusdescription, responsemessage, errormsg, reason, detail, msg, desc
      `),
      error: ['error'],
      message_id: ['messageid', 'msgid', 'smsid', 'messagesid', 'messageuuid'],
      mobile: ['mobile', 'mobilenumber', 'msisdn', 'phone', 'phonenumber', 'recipient', 'number'],
      network: ['networkid', 'network', 'networkcode'],
      cost: ['messagecost', 'cost'],
    },
    success_codes: ['200'],
    success_words: list('success, successful, successfully, accepted, queued, submitted, sent, delivered'),
    refusal_codes: {
      1001: 'sender', // invalid sender id
      1002: 'network', // network not allowed
      1003: 'contact', // invalid mobile number
      1004: 'credit', // low bulk credits
      1006: 'credentials', // invalid credentials
      1010: 'request', // unsupported request type
      1012: 'request', // too many in the list
      1104: 'request', // too many comma separated contacts
      4091: 'credentials', // no partner id
      4092: 'credentials', // no API key
      4093: 'credentials', // details not found
    },
    // 1005 failed, 1007 system error, 1008 no delivery report, 1009 unsupported data type (or no report),
    // 4090 internal error, try again. The message may have been queued with each of them.
    uncertain_codes: ['1005', '1007', '1008', '1009', '4090'],
    refusal_words: [
      {
        refusal: 'credentials',
        words: list('credentials, api key, apikey, api secret, apisecret, secret, username, password'),
      },
      // Before `sender`, because "SenderName Blacklisted" means the recipient's own choice.
      {
        refusal: 'opted_out',
        words: ['blacklist', 'blacklisted', 'opt out', 'opted out', 'optout', 'unsubscribed', 'dnd'],
      },
      {
        refusal: 'credit',
        words: list(`
          balance, credit, credits, insufficient, funds, units, insuffisant, solde, salio,
          payment required
        `),
      },
      {
        refusal: 'sender',
        words: list('sender, senderid, sendername, expediteur, shortcode, short code, source address'),
      },
      { refusal: 'network', words: ['network not allowed'] },
      {
        // Not "number" alone, because "reference number 12" says nothing about a contact.
        refusal: 'contact',
        words: list(`
          mobile, msisdn, recipient, recipients, destinataire, phone number, phonenumber, numero invalide,
          invalid number, number is invalid, prefix
        `),
      },
      { refusal: 'request', words: ['missing', 'parameter', 'parameters', 'field', 'message is required'] },
      // Last: "Unauthorized sender" is about the sender.
      { refusal: 'credentials', words: ['unauthorized', 'unauthorised'] },
    ],
  },
  balance: {
    wrappers: ['responses', 'response', 'data', 'payload', 'account'],
    fields: {
      code: ['responsecode', 'resposecode', 'statuscode', 'errorcode', 'code'],
      words: ['responsedescription', 'resposedescription', 'description', 'message', 'reason'],
      error: ['error'],
      credit: ['credit', 'credits', 'creditbalance', 'smscredits', 'balance'],
      client_id: ['clientid', 'partnerid', 'accountid'],
    },
  },
  v2: {
    basic: '{key}:{secret}',
    wrappers: ['data', 'account', 'response', 'payload', 'result'],
    fields: {
      credits: list(`
        smscredits, smscredit, credits, credit, creditbalance, availablecredits, balance, smsbalance,
        units
      `),
      words: ['message', 'responsedescription', 'description', 'error', 'errormessage', 'reason'],
      status: ['status'],
    },
    failure_words: ['error', 'fail', 'failed', 'failure'],
  },
  retry_helps: {
    contact: false,
    network: false,
    opted_out: false,
    credentials: true,
    credit: true,
    sender: true,
    request: true,
  },
  reports: defaultReports,
  networks: {},
  webhook_answer: 'OK',
  opt_out: defaultOptOut,
};
