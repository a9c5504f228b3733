import { letters } from '../../domain/text/printable.ts';
import { type PathStep, type PayloadPaths, readPath, type ShapeField } from '../../domain/payload-paths.ts';
import { plainKey, type WebhookRecord } from './body.ts';
import { eventOf, first, type ParsedReport, type Reading, readReport } from './report.ts';

/* Delivery reports of other shapes: a person says by path where the id and the status are. */

/** Shapes made ready for use. */
export interface PreparedMappings {
  /** Names of the arrays that hold reports, beside the profile's. */
  wrappers: string[];
  /** Those that were pointed at last come first. */
  shapes: PreparedMapping[];
}

/** One shape, ready for use. */
export interface PreparedMapping {
  /** The profile's, with the paths in place of its names. */
  reading: Reading;
  /** The report is a member of an array, never the object around it. */
  inArray: boolean;
}

const FIELDS = {
  id: 'messageId',
  status: 'status',
  reason: 'reason',
  mobile: 'mobile',
  network: 'network',
  time: 'time',
} as const satisfies Record<ShapeField, keyof Reading>;

/** Makes shapes ready, over the reading of the profile. A path that cannot be read is left to the profile. */
export function prepareMappings(shapes: readonly PayloadPaths[], reading: Reading): PreparedMappings {
  const paths = shapes.map((shape) => stepsOf(shape));
  const arrays = paths.flat().flatMap(({ steps }) => steps.filter(({ each }) => each));
  return {
    wrappers: arrays.map(({ name }) => plainKey(name)),
    shapes: paths.map((fields) => {
      const own = fields.map(({ field, steps }) => [FIELDS[field], [withinMember(steps)]]);
      const status = fields.find(({ field }) => field === 'status')?.steps ?? [];
      return {
        reading: { ...reading, ...Object.fromEntries(own) } as Reading,
        inArray: status.some(({ each }) => each),
      };
    }),
  };
}

function stepsOf(shape: PayloadPaths): { field: ShapeField; steps: PathStep[] }[] {
  return (Object.keys(FIELDS) as ShapeField[]).flatMap((field) => {
    const steps = readPath(shape[field] ?? '');
    return steps === null ? [] : [{ field, steps }];
  });
}

/** As records name their fields: behind the last array, for each of its members is a record of its own. */
function withinMember(steps: PathStep[]): string {
  const last = steps.findLastIndex(({ each }) => each);
  return steps
    .slice(last + 1)
    .map(({ name }) => plainKey(name))
    .join('.');
}

/** The reports of a record by the first shape that fits it; none: no shape fits. */
export function readByMapping(record: WebhookRecord, shapes: readonly PreparedMapping[]): ParsedReport[] {
  for (const shape of shapes) {
    const reports = reportsIn(record, shape);
    if (reports.length > 0) return reports;
  }
  return [];
}

function reportsIn(record: WebhookRecord, shape: PreparedMapping): ParsedReport[] {
  const inner = shape.inArray ? record.inner.flatMap((each) => reportsIn(each, shape)) : [];
  if (inner.length > 0) return inner;
  if (shape.inArray && record.envelope === null) return [];
  const report = readPointed(record, shape);
  return report === null ? [] : [report];
}

/** What the document names as an inbound message (2.5, 2.6) is one, wherever somebody points. */
function readPointed(record: WebhookRecord, { reading }: PreparedMapping): ParsedReport | null {
  const event = eventOf(record, reading);
  if (reading.replyEvents.has(letters(event)) || first(record, reading.status) === '') return null;
  return readReport(record, { reading, event, pointedAt: true });
}
