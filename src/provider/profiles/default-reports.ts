import { list, type ReportsProfile } from './profile.ts';

/**
 * The default reading of delivery reports. The provider's API document does not show their event (section 6,
 * rule 3), so these are the spellings of the whole family.
 */
export const defaultReports: ReportsProfile = {
  fields: {
    // `id` comes last, because it has another meaning in chat events.
    message_id: list(`
      messageid, msgid, smsid, messagesid, messageuuid, correlator, transactionid, externalid,
      callbackdata, message.id, reference, uuid, guid, id
    `),
    status: list(`
      deliverydescription, description, deliverystatus, deliveryinfo.deliverystatus, dlrdesc, dlrstatus,
      status.groupname, status.name, messagestatus, messagestatus.code, status, eventtype, state
    `),
    reason: list(`
      failurereason, reason, reasoncode, cause, errcode, err, errorcode, statuscode, substatus,
      error.name, error.id
    `),
    mobile: list(`
      mobile, msisdn, phone, phonenumber, to, destaddr, dst, deliveryinfo.address, address,
      receiveraddress, mobilenumber, recipient, number
    `),
    time: list(`
      timestamp, deliverytime, dlrtime, donedate, doneat, deliveredat, scts, eventts, time,
      rawdlrdonedate
    `),
    network: ['networkid', 'deliverynetworkid', 'network', 'networkcode', 'operator', 'mccmnc'],
    event: ['event', 'type'],
  },
  // The name of the document stands first.
  reply_fields: {
    mobile: list(`
      mobile, msisdn, from, sender, phone, phonenumber, mobilenumber, source, sourceaddress, sourceaddr,
      src, originator
    `),
    addressee: list(`
      shortcode, to, destination, destinationaddress, destaddr, dest, dst, recipient, receiver
    `),
    text: list(`
      message, text, content, body, msg, sms, messagetext, messagebody, messagecontent, textmessage, smstext
    `),
    time: ['receivedat', 'timestamp', 'receivedtime', 'datetime', 'date', 'time'],
  },
  chat_fields: {
    mobile: ['from', 'senderjid', 'mobile', 'msisdn', 'sender', 'phone', 'phonenumber'],
    addressee: ['to', 'recipient', 'receiver'],
    text: ['text', 'message', 'content', 'body', 'msg', 'caption', 'messagetext', 'messagebody'],
    time: ['timestamp', 'receivedat', 'datetime', 'date', 'time'],
  },
  // Neither `message` nor `body`, because a person's text may be there.
  wrappers: list(`
    results, responses, data, payload, events, reports, report, messages, notifications, notification,
    deliveryinfonotification, deliveryinfo
  `),
  // Whole words, because the ending may turn the meaning round: opted out, opted in.
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
      ...list(`
        senttonetwork, deliveredtonetwork, forwardedtonetwork, deliveredtooperator, submitted, sent, accepted,
        acceptd, enroute, dispatched, buffered, messagewaiting, waiting, queued, processing, pending,
        pendingenroute, pendingaccepted, pendingwaitingdelivery, scheduled, messagepaused
      `),
      // No report will come, so these messages stay pending until the wait for reports ends.
      ...list(`
        deliveryuncertain, unknown, reportnothandled, nodlr, deliverynotificationnotsupported, expireddlrunknown
      `),
    ],
    undelivered: [
      {
        reason: 'absent',
        permanent: false,
        opted_out: false,
        absent: true,
        words: ['absentsubscriber', 'expired', 'expiredexpired', 'userisinactive', 'userabnormalstate'],
      },
      {
        reason: 'bad number',
        permanent: true,
        opted_out: false,
        words: list(`
          invalidmsisdn, invalidmobile, usernotexist, teleservicenotprovisioned, userissuspended,
          useraccountsuspended
        `),
      },
      {
        // Also used for ported numbers and for promotional messages outside hours: a single report proves
        // nothing.
        reason: 'not delivered',
        permanent: false,
        opted_out: false,
        words: list(`
          deliveryimpossible, undeliv, undeliverable, undeliverablenotdelivered, undeliverablenotsent,
          undeliverablerejectedoperator, undelivered, notdelivered, failed, deliveryfailure, deleted,
          rejectednetwork, rejectedroutenotavailable, rejectedsystemerror, rejectedprefixmissing,
          rejecteddestination, rejectedinvaliddestination, rejecteddestinationnotregistered
        `),
      },
      {
        reason: 'opted out',
        permanent: true,
        opted_out: true,
        words: list(`
          sendernameblacklisted, senderblacklisted, userinblacklist, messagerejected, subscriberoptout,
          subscriberoptedout, rejecteddnd
        `),
      },
      {
        reason: 'sender or content refused',
        permanent: false,
        opted_out: false,
        words: list(`
          invalidsourceaddress, sourceaddressfiltermismatch, rejected, rejectd, rejectedbygateway,
          rejectedbyoperator, rejectedsource, rejectedsender, rejectedfloodingfilter, rejectedinvalidudh,
          rejectedmessagetoolong, rejectedduplicatemessageid, blocked
        `),
      },
      {
        reason: 'no credit',
        permanent: false,
        opted_out: false,
        words: list(`
          insufficientbalance, insufficientfunds, insufficientcredit, rejectednotenoughcredits,
          rejectedprepaidpackageexpired
        `),
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
    report: list(`
      sms.delivered, sms.dlr, sms.delivery, sms.status, message.status, smsdeliveryreceipt, sms.sent,
      sms.failed, sms.undelivered, dlr, delivery.report, delivery.receipt
    `),
    reply: ['sms.received', 'sms.inbound'],
    chat: ['whatsapp.message.received'],
    other: list(`
      payment., airtime., topup., top.up., payout., transfer., checkout., subscription., mpesa., stk., stkpush,
      stkcallback, b2c., c2b., wallet., invoice., balance., credit., account., sender., senderid., call., ussd.,
      voice., email., order., refund., charge., deposit., recharge., contact.
    `),
  },
  zone: 'Africa/Nairobi',
};
