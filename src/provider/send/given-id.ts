/** What services put in the place of an id that they do not give. An id may well be all letters. */
const NO_ID =
  /^(?:-1|[^\p{L}\p{N}]*(?:0[^\p{L}1-9]*|none|null|nill?|n\/?a|nan|undefined|false|empty|unknown|error|failed|failure|rejected|invalid|no[ _-]?id|not[ _-]?(?:available|found|sent|set))?[^\p{L}\p{N}]*)$/iu;

/** Whether an id of a message is one, and not what stands in the place of none. */
export function isGivenId(messageId: string | null | undefined): messageId is string {
  return typeof messageId === 'string' && !NO_ID.test(messageId.trim());
}
