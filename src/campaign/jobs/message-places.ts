import { isScalar, type LineCounter } from 'yaml';
import type { TemplateSource } from '../../domain/text/template-tags.ts';

/** A YAML file's text and its lines. */
interface YamlText {
  source: string;
  lines: LineCounter;
}

/**
 * Where the characters of a message stand that is written in a job file. YAML folds lines and reads escapes, so a place
 * is found by the two characters there: the third `<<` of the message is the third of its node in the file. Where YAML
 * made more or fewer of them, it is where the message begins. Undefined for a node that is no text.
 */
export function messagePlaces(node: unknown, { source, lines }: YamlText): TemplateSource['placeOf'] {
  if (!isScalar(node) || !node.range) return undefined;
  const [from, to] = node.range;
  const written = source.slice(from, to);
  const text = String(node.value);
  return (offset) => {
    const { line, col } = lines.linePos(from + indexIn(written, text, offset));
    return { line, column: col };
  };
}

/** Index in what is written of what stands at `offset` of the text; 0 when it cannot be told. */
function indexIn(written: string, text: string, offset: number): number {
  const sign = text.slice(offset, offset + 2);
  if (sign.length < 2) return 0;
  const parts = written.split(sign);
  if (parts.length !== text.split(sign).length) return 0;
  const before = text.slice(0, offset).split(sign).length;
  return parts.slice(0, before).join(sign).length;
}
