import type { LedgerReader } from '../ledger/reader.ts';
import type { ReplyRow } from '../ledger/replies.ts';
import { type MessageOfCampaign, timeOfMessage, withCampaigns } from './found-messages.ts';
import { type MessageText, messageText } from './message-text.ts';
import { type NumberStanding, numberStanding } from './number-standing.ts';

/** All that was said between us and one number, the oldest first. */
export interface Conversation {
  mobile: string;
  said: Said[];
  /** True: there is more, which is older. */
  isCut: boolean;
  standing: NumberStanding;
}

/** One message of a conversation: ours, or theirs. Time in milliseconds. */
export type Said =
  | ({ by: 'us'; at: number; text: MessageText | null } & MessageOfCampaign)
  | { by: 'them'; at: number; reply: ReplyRow };

/** The latest of each side that a conversation shows. */
const MOST_OF_EACH = 200;

/** Messages that reached the wire: the others were never said. */
const SAID = ['sent', 'uncertain', 'sending'];

/** Reads the conversation with a number (international digits). */
export async function conversationWith(reader: LedgerReader, mobile: string): Promise<Conversation> {
  const page = { mobile, before: null, limit: MOST_OF_EACH };
  const [replies, messages] = [await reader.repliesFrom(page), await reader.messagesTo(page)];
  const left = messages.filter(({ state }) => SAID.includes(state));
  const ours = (await withCampaigns(reader, left)).map(({ message, campaign }): Said => {
    return { by: 'us', at: timeOfMessage(message), text: messageText(campaign, message), message, campaign };
  });
  const theirs = replies.map((reply): Said => ({ by: 'them', at: reply.writtenAt, reply }));
  return {
    mobile,
    said: [...ours, ...theirs].sort((a, b) => a.at - b.at),
    isCut: replies.length === MOST_OF_EACH || messages.length === MOST_OF_EACH,
    standing: await numberStanding(reader, mobile),
  };
}
