/** Words of the list of campaigns. */
export const campaigns = {
  title: 'Campaigns',
  create: 'New campaign',
  caption: 'Campaigns, the newest first',
  campaign: 'Campaign',
  state: 'State',
  when: 'When',
  sent: 'Sent',
  spent: (currency: string) => `Spent, ${currency}`,
  sentOf: (sent: string, all: string) => `${sent} of ${all}`,
  none: 'No campaign yet',
  noneHelp: 'A campaign sends one message to each person of a list.',
};
