/** Where the content of an element begins and ends in the text. */
export type Span = [from: number, to: number];

/** An element whose end was not met yet. */
interface Open {
  name: string;
  from: number;
  /** Its children that have children of their own, by name. */
  children: Map<string, Span[]>;
  hasChild: boolean;
}

const TAG = /<(\/?)(?:[\w-]{1,40}:)?([\w-]{1,60})(?:\s[^<>]*)?>/g;
/** A notification nests less deep; what nests deeper is read as one. */
const MOST_DEPTH = 32;

/** The contents of the outermost elements with children of which several of one name stand side by side; none: empty. */
export function repeatedIn(text: string): Span[] {
  const open: Open[] = [opened('', 0)];
  let found: { depth: number; spans: Span[] } = { depth: Number.POSITIVE_INFINITY, spans: [] };
  const look = (depth: number, { children }: Open) => {
    const spans = [...children.values()].find((each) => each.length > 1);
    if (spans !== undefined && depth < found.depth) found = { depth, spans };
  };
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    if (tag.endsWith('/>')) continue;
    if (slash === '') begin(open, opened(name, index + tag.length));
    else for (const each of end(open, { name, at: index })) look(open.length, each);
    if (open.length > MOST_DEPTH) return [];
  }
  for (const [depth, each] of open.entries()) look(depth, each);
  return found.spans;
}

function opened(name: string, from: number): Open {
  return { name, from, children: new Map(), hasChild: false };
}

function begin(open: Open[], element: Open): void {
  const parent = open.at(-1);
  if (parent !== undefined) parent.hasChild = true;
  open.push(element);
}

/** Closes the innermost element of that name, and with it those in it that were never closed. None: the end of nothing. */
function end(open: Open[], { name, at }: { name: string; at: number }): Open[] {
  const depth = open.findLastIndex((each) => each.name === name);
  if (depth < 1) return [];
  const closed = open.splice(depth);
  const [element] = closed;
  if (element?.hasChild === true) {
    const siblings = open.at(-1)?.children;
    const spans = siblings?.get(name) ?? [];
    spans.push([element.from, at]);
    siblings?.set(name, spans);
  }
  return closed;
}
