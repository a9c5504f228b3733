/** Words of the decisions. */
export const decisions = {
  title: 'Decisions',
  none: 'Nothing waits for a decision',
  noneHelp: 'Every answer of the provider and every word of a report is known.',
  answers: 'Answers of the provider that nobody knows',
  answersHelp: 'Messages with such an answer are uncertain until somebody says what it means.',
  answer: 'Answer',
  waiting: 'Messages that wait',
  came: 'Came',
  last: 'Last',
  means: 'Means',
  nobodyKnows: 'nobody knows',
  decide: 'Decide…',
  change: 'Change…',
  http: (status: string) => `HTTP ${status}`,
  code: (code: string) => `code ${code}`,
  by: (who: string) => `by ${who}`,
  reportWords: 'Words of reports that the profile does not know',
  reportWordsHelp: 'A message stays without a result while its report has such a word.',
  word: 'Word',
  odd: 'What does not fit',
  oddNone: 'All reports fit their messages, and every webhook was understood.',
  mismatched: 'Reports whose id fits a message and whose number does not',
  unmatched: 'Reports whose id no message has',
  ambiguous: 'Reports that fit several messages, or another number',
  repeated: 'Ids that several messages have',
  contradictions: (messages: string) =>
    `Refused messages that a waiting report names (${messages}); a retry leaves them out`,
  notUnderstood: 'Webhooks that were not understood',
  other: 'Webhooks about something else',
  what: 'What',
  count: 'How many',
  webhooks: 'Webhooks',
  meanings: {
    credit: 'The balance is too low',
    sender: 'The sender name is refused',
    credentials: 'The key or secret is refused',
    contact: 'The number is refused',
    network: 'The network is refused',
    opted_out: 'The person has opted out at the provider',
    accepted: 'It was accepted',
    uncertain: 'It cannot be known',
  },
  becomes: {
    sent: (count: string, one: boolean) =>
      one
        ? '1 message becomes sent, its cost not known.'
        : `${count} messages become sent, their cost not known.`,
    rejected: (count: string, one: boolean) =>
      one ? '1 message becomes refused.' : `${count} messages become refused.`,
    uncertain: (count: string, one: boolean) =>
      one
        ? '1 message stays uncertain; decide it on the page of its campaign.'
        : `${count} messages stay uncertain; decide them on the page of their campaign.`,
  },
  retryHelps: 'A retry can send them again.',
  answerTitle: 'What does this answer mean?',
  wait: (count: string, one: boolean) =>
    one ? '1 message waits for this decision.' : `${count} messages wait for this decision.`,
  later: 'Every later answer of this kind is read in the same way.',
  examples: 'Whole answers, the latest first',
  proved: (count: string) => `Delivery reports proved ${count} messages with this answer to be sent.`,
  named: (count: string) => `Waiting delivery reports name the numbers of ${count} of them.`,
  meaning: 'Meaning',
  chooseMeaning: 'Choose what it means.',
  decideFor: (count: string, one: boolean) => (one ? 'Decide for 1 message' : `Decide for ${count} messages`),
  keep: 'Decide later',
  changed: 'The number of messages has changed since the page was shown. Look at it, and decide again.',
  mappedTo: (meaning: string, who: string) => `It means: ${meaning}. Decided by ${who}.`,
  unmap: 'Take this decision back',
  unmapHelp:
    'Every message that it decided is uncertain again. What was sent since stays as it is. While such messages are being sent again, pause their campaigns first.',
  wordTitle: 'What does this word mean?',
  wordCount: (count: string, one: boolean) =>
    one
      ? '1 report has this word; it is worked out anew.'
      : `${count} reports have this word; they are worked out anew.`,
  sameLetters: 'With the same letters, so that it has the same meaning:',
  deliveries: {
    delivered: 'The message arrived',
    undelivered: 'The message did not arrive',
    pending: 'It is still on its way',
  },
  effectOnDelivery: {
    delivered: 'These messages count as delivered.',
    undelivered: 'These messages count as undelivered.',
    pending: 'These messages wait for another report.',
  },
  mapWord: 'Give it this meaning',
  raw: (id: string) => `Webhook ${id}`,
  rawFrom: (ip: string) => `from ${ip}`,
  field: 'Field',
  value: 'Value',
  times: 'Came so often',
  voided: 'It was taken back and no longer counts.',
};
