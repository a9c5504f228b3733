/** `1 message`, `2,000 messages`. */
const messagesOf = (count: string, kind = '') => `${count} ${kind}${count === '1' ? 'message' : 'messages'}`;

/** Words of the pages that ask before something is done to a campaign. */
export const orders = {
  have: { people: 'People who have it already', messages: 'Messages sent already' },
  wire: 'On the wire now, finished first',
  never: { people: 'People who will never get it', messages: 'Messages that never go' },
  get: { people: 'People who get it now', messages: 'Messages that go on' },
  asNow: 'Failed or uncertain, as now',
  leftOut: 'Left out or canceled, as now',
  all: { people: 'All people', messages: 'All messages' },
  willHappen: 'This will happen',
  costs: (amount: string) => `It costs about ${amount}.`,
  keep: 'Leave it as it is',
  changed: 'The numbers have changed since you looked',
  changedHelp: (was: string, is: string) => `It was ${was}, and is ${is} now. Look again, and decide again.`,
  gone: 'This cannot be done any more',
  goneHelp: (name: string, state: string) => `${name} is now: ${state}.`,
  back: 'To the campaign',

  cancelTitle: (name: string) => `Cancel ${name} for good?`,
  cancelText: (people: string) =>
    `A canceled campaign cannot go on. The list of the ${people} can be downloaded afterwards and used for a new one.`,
  cancelRecurringText:
    'It never sends again. What it fired before goes on by itself: cancel that on its own page.',
  pauseInstead: 'To stop only for now, pause it.',
  typeName: 'Type the campaign’s name to cancel it',
  wrongName: 'This is not the name of the campaign',
  cancelButton: {
    people: (people: string) => `Cancel for ${people}`,
    messages: (messages: string) => `Cancel ${messages}`,
  },
  cancelRecurringButton: 'Cancel it for good',
  keepRunning: 'Keep it running',

  resumeTitle: (name: string) => `Let ${name} go on?`,
  resumeButton: {
    people: (people: string) => `Send to ${people}`,
    messages: (messages: string) => `Send ${messages}`,
  },
  resumeStarts: (when: string) => `It waits for its start, ${when}.`,
  resumeHours: (when: string) => `Outside its hours nothing leaves: it sends from ${when} on.`,
  resumeWaits: 'It waits for its next moment.',
  sender: 'Sender name',
  senderHint: 'A name that the provider has approved for you: up to 11 letters and digits.',
  senderWrong: 'Give a sender name of 1 to 11 letters and digits, or a number',

  budgetTitle: (name: string) => `Raise the budget of ${name}`,
  budgetNow: 'Budget now',
  spent: 'Spent so far',
  rest: 'The rest costs about',
  budgetField: (currency: string) => `The most that it may cost in all, ${currency}`,
  budgetHint: 'Not an amount on top: all that it may cost, with what is spent already.',
  budgetWrong: 'Give an amount, such as 12,500 or 12500.50',
  budgetLow: (is: string) => `The budget is ${is} now, and it is never lowered`,
  budgetButton: 'Raise it, and go on',
  budgetButtonRunning: 'Raise it',

  rateTitle: (name: string) => `Change the speed of ${name}`,
  rateNow: (rate: string) => `It sends ${rate} at most now.`,
  rateFreeNow: 'It sends as fast as the account allows now.',
  rateAccount: (rate: string) => `The account allows ${rate}, shared by all campaigns.`,
  rateLimited: 'At most this many messages',
  rateFree: 'As fast as the account allows',
  rateNumber: 'Messages',
  ratePer: 'in a',
  rateUnits: { s: 'second', min: 'minute', h: 'hour' },
  rateWrong: 'Give a number above 0, such as 10',
  rateButton: 'Change the speed',

  retryTitle: (count: string) => `Retry ${messagesOf(count)}?`,
  retryText:
    'They were refused and cost nothing so far. Each is sent once more, and costs what it costs then.',
  retryReason: 'Reason',
  retryNamed: (count: string) =>
    `${count} are left out: a delivery report names their number, so they may have been sent.`,
  retryYoung: (count: string) => `${count} are left out: their answer is too young. Ask once more later.`,
  retryButton: (count: string) => `Retry ${count}`,
  messages: 'Messages',
  reminders: 'A reminder goes once, as the last contacts have it, and in time: else it stays as it is.',

  resolveTitle: {
    sent: (count: string) => `Count ${messagesOf(count, 'uncertain ')} as sent?`,
    not_sent: (count: string) => `Send ${messagesOf(count, 'uncertain ')} again?`,
    write_off: (count: string) => `Close ${messagesOf(count, 'uncertain ')}?`,
  },
  resolveText: {
    sent: 'They count as sent, and their cost stays not known. Nothing is sent.',
    not_sent:
      'Only do this when the provider says that they were not sent. If you are wrong, these people get the message twice, and it is charged twice.',
    write_off:
      'They stay uncertain, and nobody is asked any more. Nothing is sent, and their cost stays not known.',
  },
  resolveYoung: (count: string, when: string) =>
    `${count} are too young to be sent again. They may be from ${when}.`,
  resolveNamed: 'Those whose number a delivery report names are left out.',
  resolveButton: {
    sent: (count: string) => `Count ${count} as sent`,
    not_sent: (count: string) => `Send ${count} again`,
    write_off: (count: string) => `Close ${count}`,
  },
  uncertainTitle: (name: string) => `Uncertain messages of ${name}`,
  uncertainMore: (count: string) => `The first ${count} are shown.`,

  skipTitle: (name: string) => `Leave out the next sending of ${name}?`,
  skipText: (when: string) => `The one of ${when} is not sent. The later ones stay as they are.`,
  skipButton: 'Leave it out',

  peopleTitle: (name: string) => `People of ${name}`,
  peopleCaption: 'Messages, by the line of the contacts',
  peopleNone: 'There is nobody in this list.',
  personFind: 'Find a number or a key',
  personText: 'Open a message to see its life, or to send its person nothing more. For one person of many:',
  lineOf: (line: string) => `Line ${line}`,
  line: 'Line',
  number: 'Number',
  key: 'Key',
  date: 'Date',
  due: 'When',
  state: 'State',
  next: 'Next page',
  first: 'First page',
  cancelPerson: 'Cancel',
  reread: 'Each sending reads its contacts anew: take the person out of that file.',
};
