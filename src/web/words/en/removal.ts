const messagesOf = (count: string) => `${count} ${count === '1' ? 'message' : 'messages'}`;
const campaignsOf = (count: string) => `${count} ${count === '1' ? 'campaign' : 'campaigns'}`;
const answersOf = (count: string) => `${count} ${count === '1' ? 'answer' : 'answers'}`;

/** Words of the pages that remove personal data: of old campaigns, and of one person. */
export const removal = {
  willHappen: 'This will happen',
  stays: 'This stays',
  word: 'remove',
  typeWord: 'Type the word to remove the data',
  wrongWord: 'This is not the word. Nothing was removed.',
  changed: 'The numbers have changed since the page was shown. Look at them, and decide again.',
  noWay: 'There is no way back.',
  underWay: 'Removals of the last day',

  purgeTitle: 'Remove old personal data',
  purgeIntro:
    'Numbers, names and all other cells of the contacts go, and what people answered. Only campaigns that have ended are touched.',
  age: 'How many days old?',
  ageHint: (least: string) => `Data that is older goes. At least ${least}: until then reports come in.`,
  ageWrong: (least: string) => `Give a number of days, ${least} or more.`,
  look: 'Look what there is',
  before: 'Everything before',
  campaigns: 'Campaigns',
  messages: 'Messages without number, key and cells afterwards',
  traces: 'Raw webhooks, numbers in reports, and answers from before that day go, too.',
  uncertain: (count: string, one: boolean) =>
    one
      ? '1 of them is uncertain. It can then only be called sent or written off.'
      : `${count} of them are uncertain. They can then only be called sent or written off.`,
  purgeStays: [
    'Counts, costs, states, message ids, times, reports and statements.',
    'Opt-outs and dead numbers, so that nobody gets offers again.',
    'Campaigns that have not ended, drafts, and jobs that come again.',
    'Contact files, downloaded files and backups: whoever has them must delete them.',
  ],
  purgeNothing: 'No campaign is that old. Raw webhooks and answers of before are removed all the same.',
  purgeButton: (messages: string, one: boolean) =>
    one ? 'Remove the data of 1 message' : `Remove the data of ${messages} messages`,
  keep: 'Keep it',
  purgeDone: (messages: string, campaigns: string) =>
    `Removed from ${messagesOf(messages)} in ${campaignsOf(campaigns)}.`,
  purgeLeft: (count: string) =>
    `Campaigns left as before, because something waits there or was sent since: ${count}.`,
  traced: (webhooks: string, reports: string, replies: string) =>
    `Raw webhooks: ${webhooks}. Reports: ${reports}. Answers: ${replies}.`,
  notRewritten:
    'Unused space of the ledger may still hold traces. They go when whoever looks after Tuma stops it and removes the data once more.',
  healthTitle: 'Personal data',
  healthHelp: 'Numbers, names and answers of old campaigns can be removed. Sums and costs stay.',

  erase: 'Erase this person…',
  eraseHelp: 'Number, texts, answers and evidence of this person go. Sums and opt-outs stay.',
  eraseTitle: 'Erase this person?',
  eraseMessages: 'Messages without number, key, cells and evidence afterwards',
  eraseReplies: 'Answers that go',
  eraseAll: 'All of this person',
  eraseNothing: 'No message and no answer of this number is left. Raw webhooks are looked through once more.',
  eraseExports: 'The files of messages that anybody asked for are removed, too. They can be made again.',
  eraseAwaited: (count: string, one: boolean) =>
    one
      ? 'A report of 1 message may still come. It brings the number back; erase it again then.'
      : `Reports of ${count} messages may still come. They bring the number back; erase it again then.`,
  eraseStays: [
    'Counts, costs, states, message ids and times.',
    'An opt-out of the number, so that it gets no offers. Without one, a list that names the number writes to it again.',
    'The order to send nothing more of a campaign that still runs.',
    'Raw webhooks that are about somebody else, too, until old data is removed.',
    'Lists of drafts, contact files, downloaded files and backups: take the person out of those.',
  ],
  eraseWaits: 'Something of this person waits. Settle it first.',
  waits: {
    queued: (count: string) => `Messages still to send: ${count}. Cancel them for this person.`,
    sending: (count: string) => `Messages on the wire: ${count}. Wait a moment.`,
    uncertain: (count: string) => `Uncertain messages: ${count}. Decide about them.`,
    maybeStops: (count: string) => `Answers that may be a STOP: ${count}. Decide about them in the inbox.`,
    changing: (count: string) => `Campaigns that just get contacts: ${count}. Wait a moment.`,
  },
  eraseToNumber: 'To this number',
  eraseButton: 'Erase this person',
  eraseDone: (messages: string, replies: string) =>
    `Removed from ${messagesOf(messages)} and ${answersOf(replies)}.`,
  eraseTraced: (webhooks: string, reports: string) => `Raw webhooks: ${webhooks}. Reports: ${reports}.`,
  eraseShared: (count: string) => `Raw webhooks that stay, because somebody else is in them, too: ${count}.`,
};
