import type { FoundMessage, MessagePlace } from '../ledger/contracts/finding.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { ReplyRow } from '../ledger/contracts/replies.ts';
import { type MessageOfCampaign, timeOfMessage, withCampaigns } from './found-messages.ts';
import { type MessageText, messageText } from './message-text.ts';
import { type NumberStanding, numberStanding } from './number-standing.ts';

/** All that was said between us and one number, the oldest first. */
export interface Conversation {
  mobile: string;
  said: Said[];
  /** Where older ones begin; null: there are none. */
  older: ConversationPlace | null;
  standing: NumberStanding;
}

/** One message of a conversation: ours, or theirs. Time in milliseconds. */
export type Said =
  | ({ by: 'us'; at: number; text: MessageText | null } & MessageOfCampaign)
  | { by: 'them'; at: number; reply: ReplyRow };

/** The latest of each side that a conversation shows. */
const MOST_OF_EACH = 200;

/** The last of each side that was read; null: none was. */
export interface ConversationPlace {
  reply: Pick<ReplyRow, 'writtenAt' | 'id'> | null;
  message: MessagePlace | null;
}

/** Messages that reached the wire: the others were never said. */
const SAID = ['sent', 'uncertain', 'sending'];

/**
 * Reads the conversation with a number (international digits): the latest of each side, or those before a place, in
 * order of time. Each stands on one page; across pages ours are in the order of their campaigns.
 */
export async function conversationWith(
  reader: LedgerReader,
  mobile: string,
  { before, limit }: { before: ConversationPlace | null; limit: number } = FIRST_PAGE,
): Promise<Conversation> {
  const replies = await reader.repliesFrom({ mobile, before: before?.reply ?? null, limit });
  const messages = await reader.messagesTo({ mobile, before: before?.message ?? null, limit });
  const left = messages.filter(({ state }) => SAID.includes(state));
  const ours = (await withCampaigns(reader, left)).map(({ message, campaign }): Said => {
    return { by: 'us', at: timeOfMessage(message), text: messageText(campaign, message), message, campaign };
  });
  const theirs = replies.map((reply): Said => ({ by: 'them', at: reply.writtenAt, reply }));
  const isCut = replies.length === limit || messages.length === limit;
  return {
    mobile,
    said: [...ours, ...theirs].sort((a, b) => a.at - b.at),
    older: isCut ? placeAfter({ replies, messages }, before) : null,
    standing: await numberStanding(reader, mobile),
  };
}

const FIRST_PAGE = { before: null, limit: MOST_OF_EACH };

/** A side that has no more keeps its place. */
function placeAfter(
  { replies, messages }: { replies: ReplyRow[]; messages: FoundMessage[] },
  before: ConversationPlace | null,
): ConversationPlace {
  const [reply, message] = [replies.at(-1), messages.at(-1)];
  return {
    reply: reply === undefined ? (before?.reply ?? null) : { writtenAt: reply.writtenAt, id: reply.id },
    message:
      message === undefined ? (before?.message ?? null) : { campaign: message.campaign, seq: message.seq },
  };
}
