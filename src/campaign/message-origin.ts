import { isScalar, type LineCounter, type Scalar } from 'yaml';
import type { TemplateOrigin } from '../domain/template-tags.ts';

/** A YAML file's text and its lines. */
interface YamlText {
  source: string;
  lines: LineCounter;
}

/**
 * Where a message that is written in a job file begins, so that an error in it can be shown at its place. Null when
 * YAML made another text of it (folded lines, escapes): then no place in the file is a place in the text.
 */
export function messageOrigin(node: unknown, text: YamlText): TemplateOrigin | null {
  if (!isScalar(node) || !node.range) return null;
  const written = text.source.slice(node.range[0], node.range[1]);
  return node.type === 'BLOCK_LITERAL' ? blockOrigin(node, written, text) : inlineOrigin(node, written, text);
}

function inlineOrigin(node: Scalar, written: string, { lines }: YamlText): TemplateOrigin | null {
  const quote = node.type === 'PLAIN' ? 0 : 1;
  if (written.slice(quote, written.length - quote) !== node.value) return null;
  const { line, col } = lines.linePos(node.range?.[0] ?? 0);
  return { linesBefore: line - 1, firstIndent: col - 1 + quote, indent: 0 };
}

/** The lines under a `|`, each behind the same indent. */
function blockOrigin(node: Scalar, written: string, { lines }: YamlText): TemplateOrigin | null {
  const [, ...content] = written.split('\n');
  const first = String(node.value).split('\n')[0] ?? '';
  const indent = (content[0] ?? '').length - first.length;
  if (indent < 1 || content[0]?.slice(indent) !== first) return null;
  const { line } = lines.linePos(node.range?.[0] ?? 0);
  return { linesBefore: line, firstIndent: indent, indent };
}
