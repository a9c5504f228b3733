import { WireNote } from '../../src/campaign/sending/wire-note.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const notes = new Map<number, WireNote>();

/** The note of a worker that can keep none. */
export function noNote(worker = 1): WireNote {
  const self = () => ({ bootId: 'boot', pidNamespace: 'ns', pid: 1, startTicks: '1', roles: 'worker' });
  const known = notes.get(worker);
  if (known !== undefined) return known;
  const processes = { self, fate: () => 'unknown' as const };
  const made = new WireNote({ log: SILENT, processes }, worker, null);
  notes.set(worker, made);
  return made;
}
