import { type Document, isMap, isNode, isScalar } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from '../../domain/text/did-you-mean.ts';

/** One problem of a job file, and its offset in the text. */
export interface JobProblem {
  offset: number;
  message: string;
}

type Path = readonly PropertyKey[];

/** The known keys inside each key, for "did you mean". */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  window: ['from', 'to', 'days'],
  remind: ['column', 'offset', 'offsets', 'at', 'format'],
  every: ['cron', 'contacts'],
  rate: ['from', 'to', 'over'],
  canary: ['first', 'wait', 'delivered'],
  guard: ['same_text', 'most', 'per'],
  retry: ['attempts', 'first', 'most'],
};

/** Turns the schema's issues into problems at their places in the YAML. `rootKeys` are the keys of a job. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  { document, rootKeys }: { document: Document; rootKeys: readonly string[] },
): JobProblem[] {
  return issues.flatMap((issue): JobProblem[] => {
    const told = issue.code === 'invalid_union' ? insideUnion(issue) : [issue];
    return told.flatMap((inner) => {
      const path = inner === issue ? issue.path : [...issue.path, ...inner.path];
      if (inner.code === 'unrecognized_keys') {
        return inner.keys.map((key) => unknownKey([...path, key], { document, rootKeys }));
      }
      return [{ offset: offsetOf(document, path), message: `${nameOf(path)} ${inner.message}` }];
    });
  });
}

/** The issues of the branch that fits the value's shape; without such a branch, the issue of the union. */
function insideUnion(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const meant = issue.errors.find((branch) =>
    branch.some((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys'),
  );
  return meant ?? [issue];
}

function unknownKey(
  path: Path,
  { document, rootKeys }: { document: Document; rootKeys: readonly string[] },
): JobProblem {
  const offset = keyOffset(document, path);
  const key = String(path.at(-1));
  const known = path.length === 1 ? rootKeys : (KEYS[String(path[0])] ?? []);
  const near = didYouMean(key, known);
  const hint = near === null ? `known are: ${known.join(', ')}` : `did you mean \`${near}\`?`;
  return { offset, message: `${nameOf(path)} is unknown; ${hint}` };
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'The job' : `\`${path.map(String).join('.')}\``;
}

/** The offset of a value. A missing value has the offset of the map that should hold it. */
export function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyOffset(document: Document, path: Path): number {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return offsetOf(document, path);
  const key = parent.items
    .map((pair) => pair.key)
    .find((node) => isScalar(node) && node.value === path.at(-1));
  return isNode(key) && key.range ? key.range[0] : offsetOf(document, path);
}
