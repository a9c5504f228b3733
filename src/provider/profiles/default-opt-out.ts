import { list, type Profile } from './profile.ts';

/** English, Swahili and French, as senders announce the words and people write them. */
export const defaultOptOut: Profile['opt_out'] = {
  words: [
    ...list(`
      stop, stop all, stopall, stop sms, stop messages, stop sending, stop sending messages,
      stop it, stop stop, stop stop stop, stop please, please stop, stop now, stop pls, pls stop,
      stop plz, plz stop, stop text, stop texts, stop all messages, stop all sms, stop texting,
      stop texting me, please stop texting me, stop spam, stop spamming me, stop messaging me,
      stop sending me messages, stop sending me sms, unsubscribe, unsub, unsubscribe me,
      please unsubscribe, remove me, please remove me, remove my number, remove, revoke, cancel,
      end, quit, opt out, optout, opt me out, do not text me, dont text me, do not message me,
      dont message me, do not contact me, no more messages, no more sms
    `),
    ...list(`
      acha, wacha, ondoa, niondoe, niondoeni, jiondoe, sitaki, sitaki sms, sitaki message,
      sitaki messages, sitaki meseji, sitaki ujumbe, simama, simamisha, komesha, toa, nitoe,
      nitoeni, usitume, usitume tena, usinitumie, usinitumie tena, usinitumie sms,
      usinitumie message, usinitumie messages, usinitumie meseji, usinitumie ujumbe, msinitumie,
      msinitumie tena, msinitumie sms, msinitumie ujumbe, acha kunitumia, acheni,
      acheni kunitumia, acha kunitumia sms, acha kunitumia message, acha kunitumia messages,
      acha kunitumia meseji, acha kunitumia ujumbe, acha kunisumbua, acheni kunisumbua,
      acha tafadhali, tafadhali acha, tafadhali acheni, acha kutuma, acha sms, wacha kunitumia,
      wacha kutuma, wacheni
    `),
    ...list(`
      arret, arreter, arretez, desabonner, desinscrire, desinscription, desabonnement, stop pub,
      stop svp, se desabonner, me desabonner, desabonnez moi, desabonnez-moi
    `),
    // The network appends these codes, and people type them back.
    'STOP*456*9*5#',
    'STOP *456*9*5#',
    '*456*9*5#',
  ],
  return_words: list('start, unstop, subscribe, opt in, optin, anza, rudisha, nirudishe'),
};
