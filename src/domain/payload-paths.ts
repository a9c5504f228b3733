/** What of a delivery report can be pointed at. */
export const SHAPE_FIELDS = ['id', 'status', 'reason', 'mobile', 'network', 'time'] as const;
/** One thing that a report says. */
export type ShapeField = (typeof SHAPE_FIELDS)[number];

/** Paths such as `data.msgId` into a report of another shape; a name left out is that of the profile. */
export type PayloadPaths = { id: string; status: string } & Partial<Record<ShapeField, string>>;

/** A step into an object, or into every member of an array. */
export interface PathStep {
  name: string;
  each: boolean;
}

const MAX_PATH_CHARS = 200;
const STEP = /^([^[\]]*)((?:\[\d*\])*)$/;

/** Reads `$.results[0].status`, `?status` or `data.msgId`; a member's number means every member. Null: no path. */
export function readPath(text: string): PathStep[] | null {
  const bare = text.trim().replace(/^(?:\$\.?|\?)/, '');
  if (bare === '' || bare.length > MAX_PATH_CHARS) return null;
  const steps = bare.split('.').map((step) => {
    const [, name = '', members = ''] = STEP.exec(step.trim()) ?? [];
    return { name: name.trim(), each: members !== '' };
  });
  // A payload that is an array itself: each of its members is read by itself anyway.
  const [first, ...rest] = steps;
  const path = first?.name === '' && first.each ? rest : steps;
  return path.length === 0 || path.some(({ name }) => name === '') ? null : path;
}

/** The one spelling of a path: `results[].status`. */
export function pathText(steps: readonly PathStep[]): string {
  return steps.map(({ name, each }) => (each ? `${name}[]` : name)).join('.');
}
