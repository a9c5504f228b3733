import type { Profile } from '../profile.ts';

/**
 * What is assumed where the provider's API document says "not shown": what services of the same family were seen to do.
 * Any row can be changed by a profile file of one's own, see docs/configuration.md.
 */
export const defaultProfile: Profile = {
  name: 'default',
  http: {
    refused: [400, 404, 405, 413, 415, 422],
    credentials: [401, 403],
    throttled: [429],
  },
  not_accepted: [],
  send: {
    wrappers: ['responses', 'response', 'results', 'recipients', 'messages', 'payload', 'data'],
    fields: {
      // "respose-code" is misspelt in real answers of this family.
      code: ['responsecode', 'resposecode', 'statuscode', 'errorcode', 'code'],
      words: [
        'responsedescription',
        'resposedescription',
        'statusdesc',
        'description',
        'errordescription',
        'errormessage',
        'error',
        'message',
        'statusmessage',
        'reason',
      ],
      message_id: ['messageid', 'msgid', 'smsid', 'messagesid', 'messageuuid'],
      mobile: ['mobile', 'mobilenumber', 'msisdn', 'phone', 'phonenumber', 'recipient', 'number'],
      network: ['networkid', 'network', 'networkcode'],
      cost: ['messagecost', 'cost'],
    },
    success_codes: ['200'],
    success_words: ['success', 'successful', 'successfully', 'accepted', 'queued', 'submitted'],
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
    // 1005 failed, 1007 system error, 1008 no delivery report, 1009 unsupported data type (or no report), 4090 internal
    // error, try again: none of them says that the message was not queued.
    uncertain_codes: ['1005', '1007', '1008', '1009', '4090'],
    refusal_words: [
      { refusal: 'credentials', words: ['credential', 'apikey', 'apisecret', 'secret', 'unauthor'] },
      // Before `sender`: "SenderName Blacklisted" is said of the recipient's own choice.
      { refusal: 'opted_out', words: ['blacklist', 'optout', 'optedout', 'opt', 'dnd'] },
      { refusal: 'credit', words: ['balance', 'credit', 'insufficient', 'units', 'lowbulk'] },
      { refusal: 'sender', words: ['sender', 'shortcode', 'sourceaddress', 'notassigned'] },
      { refusal: 'request', words: ['missing', 'required', 'parameter'] },
      { refusal: 'network', words: ['networknotallowed'] },
      {
        refusal: 'contact',
        words: [
          'mobile',
          'msisdn',
          'recipient',
          'phonenumber',
          'invalidnumber',
          'unsupportednumber',
          'prefix',
        ],
      },
    ],
  },
  balance: {
    wrappers: ['responses', 'response', 'data', 'payload', 'account'],
    fields: {
      code: ['responsecode', 'resposecode', 'statuscode', 'errorcode', 'code'],
      words: ['responsedescription', 'resposedescription', 'description', 'error', 'message', 'reason'],
      credit: ['credit', 'credits', 'creditbalance', 'smscredits', 'balance'],
      client_id: ['clientid', 'partnerid', 'accountid'],
    },
  },
  retry_helps: {
    contact: false,
    network: false,
    opted_out: false,
    credentials: true,
    credit: true,
    sender: true,
    request: false,
  },
  reports: {
    fields: {
      // `id` stands last: in chat events it is something else.
      message_id: [
        'messageid',
        'msgid',
        'smsid',
        'messagesid',
        'messageuuid',
        'correlator',
        'transactionid',
        'externalid',
        'callbackdata',
        'message.id',
        'reference',
        'uuid',
        'guid',
        'id',
      ],
      reference: ['clientsmsid', 'extmsgid', 'callbackdata', 'clientref', 'cid', 'reference'],
      status: [
        'deliverydescription',
        'description',
        'deliverystatus',
        'deliveryinfo.deliverystatus',
        'dlrdesc',
        'dlrstatus',
        'status.groupname',
        'status.name',
        'messagestatus',
        'messagestatus.code',
        'status',
        'eventtype',
        'state',
      ],
      reason: [
        'failurereason',
        'reason',
        'reasoncode',
        'cause',
        'errcode',
        'err',
        'errorcode',
        'statuscode',
        'substatus',
        'error.name',
        'error.id',
      ],
      mobile: [
        'mobile',
        'msisdn',
        'phone',
        'phonenumber',
        'to',
        'destaddr',
        'dst',
        'deliveryinfo.address',
        'address',
        'receiveraddress',
        'mobilenumber',
        'recipient',
        'number',
      ],
      time: [
        'timestamp',
        'deliverytime',
        'dlrtime',
        'donedate',
        'doneat',
        'deliveredat',
        'scts',
        'eventts',
        'time',
        'rawdlrdonedate',
      ],
      latency: ['timetaken', 'deliverytat', 'tat'],
      network: ['networkid', 'deliverynetworkid', 'network', 'networkcode', 'operator', 'mccmnc'],
      cost: ['messagecost', 'cost', 'price.pricepermessage', 'price'],
      segments: ['page', 'pglength', 'nooffrags', 'smscount'],
      event: ['event', 'type', 'name'],
    },
    wrappers: ['results', 'responses', 'data', 'events', 'deliveryinfonotification', 'deliveryinfo'],
    words: {
      delivered: [
        'deliveredtoterminal',
        'delivredtoterminal', // so spelt by one provider
        'deliveredtohandset',
        'delivered',
        'delivrd',
        'success',
      ],
      pending: [
        'senttonetwork',
        'deliveredtonetwork',
        'forwardedtonetwork',
        'deliveredtooperator',
        'submitted',
        'sent',
        'accepted',
        'acceptd',
        'enroute',
        'dispatched',
        'buffered',
        'messagewaiting',
        'waiting',
        'queued',
        'processing',
        'pending*',
        'scheduled',
        'messagepaused',
        // No report to be had: they stay pending until the wait for reports is over.
        'deliveryuncertain',
        'unknown',
        'reportnothandled',
        'nodlr',
        'deliverynotificationnotsupported',
      ],
      undelivered: [
        {
          reason: 'absent',
          permanent: false,
          opted_out: false,
          words: ['absentsubscriber', 'expired*', 'userisinactive', 'userabnormalstate'],
        },
        {
          reason: 'bad number',
          permanent: true,
          opted_out: false,
          words: [
            'invalidmsisdn',
            'invalidmobile',
            'usernotexist',
            'teleservicenotprovisioned',
            'userissuspended',
            'useraccountsuspended',
          ],
        },
        {
          // Also said of ported numbers and of promotional messages outside hours: one hit proves nothing.
          reason: 'not delivered',
          permanent: false,
          opted_out: false,
          words: [
            'deliveryimpossible*',
            'undeliv',
            'undeliverable*',
            'undelivered',
            'notdelivered',
            'failed',
            'deliveryfailure',
            'deleted',
          ],
        },
        {
          reason: 'opted out',
          permanent: true,
          opted_out: true,
          words: [
            'sendernameblacklisted',
            'senderblacklisted',
            'userinblacklist',
            'messagerejected',
            'subscriberopt*',
          ],
        },
        {
          reason: 'sender or content refused',
          permanent: false,
          opted_out: false,
          words: ['invalidsourceaddress', 'sourceaddressfiltermismatch', 'rejected*', 'rejectd', 'blocked'],
        },
        {
          reason: 'no credit',
          permanent: false,
          opted_out: false,
          words: [
            'insufficientbalance',
            'insufficientfunds',
            'insufficientcredit',
            'rejectednotenoughcredits',
          ],
        },
        {
          reason: 'not subscribed',
          permanent: false,
          opted_out: false,
          words: ['invalidlinkid', 'notsfcuser', 'usernotsubscribed'],
        },
      ],
    },
    event_names: {
      report: [
        'sms.delivered',
        'sms.dlr',
        'sms.delivery',
        'sms.status',
        'message.status',
        'smsdeliveryreceipt',
      ],
      reply: ['sms.received', 'sms.inbound'],
      chat: ['whatsapp.message.received'],
    },
    zone: 'Africa/Nairobi',
  },
};
