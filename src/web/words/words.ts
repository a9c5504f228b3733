import type { FastifyRequest } from 'fastify';
import { advice as adviceEn } from './en/advice.ts';
import { alerts as alertsEn } from './en/alerts.ts';
import { audit as auditEn } from './en/audit.ts';
import { campaign as campaignEn } from './en/campaign.ts';
import { campaigns as campaignsEn } from './en/campaigns.ts';
import { common as commonEn } from './en/common.ts';
import { decisions as decisionsEn } from './en/decisions.ts';
import { errorTitles as errorTitlesEn } from './en/error-titles.ts';
import { find as findEn, life as lifeEn } from './en/find.ts';
import { health as healthEn } from './en/health.ts';
import { inbox as inboxEn } from './en/inbox.ts';
import { message as messageEn } from './en/message.ts';
import { money as moneyEn } from './en/money.ts';
import { optouts as optoutsEn } from './en/optouts.ts';
import { advice as adviceSw } from './sw/advice.ts';
import { planWarnings as planWarningsEn } from './en/plan-warnings.ts';
import { alerts as alertsSw } from './sw/alerts.ts';
import { audit as auditSw } from './sw/audit.ts';
import { orders as ordersEn } from './en/orders.ts';
import { newCampaign as newCampaignEn } from './en/new-campaign.ts';
import { campaign as campaignSw } from './sw/campaign.ts';
import { campaigns as campaignsSw } from './sw/campaigns.ts';
import { common as commonSw } from './sw/common.ts';
import { decisions as decisionsSw } from './sw/decisions.ts';
import { errorTitles as errorTitlesSw } from './sw/error-titles.ts';
import { find as findSw, life as lifeSw } from './sw/find.ts';
import { health as healthSw } from './sw/health.ts';
import { inbox as inboxSw } from './sw/inbox.ts';
import { message as messageSw } from './sw/message.ts';
import { money as moneySw } from './sw/money.ts';
import { optouts as optoutsSw } from './sw/optouts.ts';
import { planWarnings as planWarningsSw } from './sw/plan-warnings.ts';
import { orders as ordersSw } from './sw/orders.ts';
import { me as meEn } from './en/me.ts';
import { reminders as remindersEn } from './en/reminders.ts';
import { signIn as signInEn } from './en/sign-in.ts';
import { removal as removalEn } from './en/removal.ts';
import { tasks as tasksEn } from './en/tasks.ts';
import { users as usersEn } from './en/users.ts';
import { me as meSw } from './sw/me.ts';
import { reminders as remindersSw } from './sw/reminders.ts';
import { newCampaign as newCampaignSw } from './sw/new-campaign.ts';
import { signIn as signInSw } from './sw/sign-in.ts';
import { removal as removalSw } from './sw/removal.ts';
import { tasks as tasksSw } from './sw/tasks.ts';
import { users as usersSw } from './sw/users.ts';

const EN = {
  advice: adviceEn,
  common: commonEn,
  campaigns: campaignsEn,
  campaign: campaignEn,
  alerts: alertsEn,
  audit: auditEn,
  decisions: decisionsEn,
  errorTitles: errorTitlesEn,
  find: findEn,
  health: healthEn,
  inbox: inboxEn,
  life: lifeEn,
  message: messageEn,
  money: moneyEn,
  optouts: optoutsEn,
  planWarnings: planWarningsEn,
  reminders: remindersEn,
  orders: ordersEn,
  me: meEn,
  newCampaign: newCampaignEn,
  signIn: signInEn,
  removal: removalEn,
  tasks: tasksEn,
  users: usersEn,
};

/** All words of the pages, a part a page. A language without one of them does not compile. */
export type Words = typeof EN;

const SW: Words = {
  advice: adviceSw,
  common: commonSw,
  campaigns: campaignsSw,
  campaign: campaignSw,
  alerts: alertsSw,
  audit: auditSw,
  decisions: decisionsSw,
  errorTitles: errorTitlesSw,
  find: findSw,
  health: healthSw,
  inbox: inboxSw,
  life: lifeSw,
  message: messageSw,
  money: moneySw,
  optouts: optoutsSw,
  planWarnings: planWarningsSw,
  reminders: remindersSw,
  orders: ordersSw,
  me: meSw,
  newCampaign: newCampaignSw,
  signIn: signInSw,
  removal: removalSw,
  tasks: tasksSw,
  users: usersSw,
};

/** A language of the pages. */
export type Language = 'en' | 'sw';

/** The cookie that holds the language which a person chose. */
export const LANGUAGE_COOKIE = 'tuma-language';

/** The words of a language. */
export function wordsOf(language: Language): Words {
  return language === 'sw' ? SW : EN;
}

/** The language that the person chose, else the first of the browser's that the pages have; English. */
export function languageOf({ cookies, headers }: FastifyRequest): Language {
  const chosen = cookies[LANGUAGE_COOKIE];
  if (chosen === 'en' || chosen === 'sw') return chosen;
  const wished = (headers['accept-language'] ?? '').split(',').map((each) => each.trim().slice(0, 2));
  return wished.find((each) => each === 'en' || each === 'sw') === 'sw' ? 'sw' : 'en';
}
