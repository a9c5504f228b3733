import { list, type Profile } from './profile.ts';

/**
 * The words of stopping, in English, Swahili and French. The grammar of a wish is in
 * domain/text/opt-out-words.ts, and docs/opt-outs.md tells it to people.
 */
export const defaultOptOut: Profile['opt_out'] = {
  words: [
    ...list(`
      stop, stop it, stop this, stop that, stop all, stopall, stop now, unsubscribe, unsub,
      unsubscribe me, unsubscribe me from your list, unsubscribe from your list, i want to unsubscribe,
      i would like to unsubscribe, i want to opt out, opt out, optout, opt me out, remove, remove me,
      remove me from your list, remove me from this list, take me off this list, remove my number,
      remove my number from your list, take me off your list, delete my number, revoke, cancel, end,
      quit, stop spamming me, do not text me, dont text me, do not message me, dont message me,
      do not contact me, dont contact me
    `),
    ...list(`
      acha, wacha, acheni, wacheni, sitaki, sitaki tena, ondoa, niondoe, niondoeni, jiondoe, simama,
      simamisha, komesha, toa, nitoe, nitoeni, mniondoe, mnitoe, niondoe kwenye orodha,
      nitoe kwenye orodha, ondoa namba yangu, toa namba yangu, futa namba yangu, ondoa number yangu,
      toa number yangu, futa number yangu,
      usitume, usitume tena, usinitumie, usinitumie tena, msitume, msitume tena, msinitumie,
      msinitumie tena, acha kunisumbua, acheni kunisumbua
    `),
    ...list(`
      arret, arrete, arreter, arretez, desabonner, desabonnez-moi, se desabonner, me desabonner,
      je veux me desabonner, je me desabonne, desabonnement, desinscrire, desinscrivez-moi,
      desinscription, ne m'ecrivez plus, supprimez mon numero
    `),
    // The network appends these codes, and people type them back.
    'STOP*456*9*5#',
    'STOP *456*9*5#',
    '*456*9*5#',
  ],
  verbs: [
    ...list(`
      stop, unsubscribe, unsub, unsubscribe me, opt out, opt me out, i want to unsubscribe,
      can you stop, could you stop, will you stop, would you stop, can you please stop,
      could you please stop, i want to stop, i want you to stop, i would like to stop, no more,
      do not send, dont send, never send, do not text, dont text, i do not want, i dont want, dont want
    `),
    ...list(`
      acha, wacha, acheni, wacheni, sitaki, sihitaji, komesha, simamisha, usitume, usinitumie, msitume,
      msinitumie, muache
    `),
    ...list("arret, arrete, arreter, arretez, cessez, ne m'envoyez plus, je ne veux plus, je ne veux pas"),
  ],
  objects: list(`
    sms, smses, message, messages, msg, msgs, text, texts, txt, txts, sending, texting, messaging,
    receiving, receive, getting, communication, communications, promotions, promos, adverts, ads,
    advertisements, advertising, marketing, spam, spams,
    meseji, mesej, ujumbe, jumbe, matangazo, kunitumia, kunitext, kutuma, kupokea, kupata,
    textos, texto, publicite, publicites, pub, pubs, m'envoyer, m'ecrire, envoyer, envoi, envois, recevoir
  `),
  links: list(`
    me, us, my, your, these, those, this, the, all, any, more, with, to, from, on, of, number, phone,
    promotional, promo, bulk, unwanted, unsolicited,
    zenu, zako, yenu, yako, wenu, wako, hizi, hizo, huu, hii, za, ya, wa, tena, mimi, kwangu, kwa, namba,
    yangu, simu, zote, yote,
    de, des, du, les, vos, votre, ces, moi, aux, tous, toutes, plus
  `),
  fillers: list(`
    please, pls, plz, plse, kindly, just, thanks, thank you, thankyou, thank u, thx, tnx, sorry, hi,
    hello, hey, dear, sir, madam, team, good morning, good afternoon, good evening, ok, okay, i said, enough, already,
    now, right now, immediately, at once, again, anymore, any more, any longer, forever,
    tafadhali, tafadhalini, asante, asanteni, ahsante, ahsanteni, shukran, samahani, naomba, nawaomba,
    naombeni, habari, jambo, sasa, kabisa, kamwe, mara moja, jamani,
    svp, stp, s'il vous plait, s'il te plait, merci, merci beaucoup, bonjour, bonsoir, madame, monsieur,
    veuillez, maintenant, immediatement, definitivement, tout de suite
  `),
  signatures: list(`
    sent from, sent via, get outlook for, regards, best regards, kind regards, yours sincerely,
    yours faithfully, imetumwa kutoka, imetumwa kwa, envoye de mon, envoye depuis, cordialement
  `),
  complaints: list(`
    spamming, spammers, disturbing, disturb, bothering, bother, harassing, harass, annoying, annoy,
    irritating, calling, calls, reminders, updates, alerts, notifications, offers, subscription,
    kunisumbua, kusumbua, usumbufu, kero, kunipigia, deranger, harceler, harcelement
  `),
  look_alikes: list(`
    shop, step, top, atop, slop, stoop, aha, cha, ache, achia, pacha, quite, quiet, suit, cancer, remote,
    nitoke, ondoka
  `),
  return_words: list('start, unstop, subscribe, opt in, optin, anza, rudisha, nirudishe'),
};
