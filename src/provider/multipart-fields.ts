/* A form as programs post it that have files in mind (curl -F, an array in PHP's curl): a part for each field. */

const END_OF_LINE = '\r\n';
const NAME = /;\s*name="?([^";\r\n]{1,60})"?/i;

/** True for a text that begins as such a form does: with its boundary, and the header of a part. */
export function isMultipart(text: string): boolean {
  return text.startsWith('--') && /^[^\r\n]+\r\ncontent-/i.test(text);
}

/** The fields of the form, in their order. */
export function multipartFields(text: string): [name: string, value: string][] {
  const boundary = text.slice(0, text.indexOf(END_OF_LINE));
  // The first one stands at the beginning, every other behind the end of a value.
  const parts = `${END_OF_LINE}${text}`.split(`${END_OF_LINE}${boundary}`).slice(1);
  return parts.flatMap((part) => {
    const blank = part.indexOf(END_OF_LINE + END_OF_LINE);
    const name = NAME.exec(part.slice(0, Math.max(blank, 0)))?.[1];
    return name === undefined ? [] : [[name, part.slice(blank + 2 * END_OF_LINE.length)]];
  });
}
