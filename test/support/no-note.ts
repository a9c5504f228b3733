import { WireNote } from '../../src/campaign/sending/wire-note.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const notes = new Map<number, WireNote>();

/** The note of a worker that can keep none. */
export function noNote(worker = 1): WireNote {
  const known = notes.get(worker);
  if (known !== undefined) return known;
  const made = new WireNote({ log: SILENT }, worker, null);
  notes.set(worker, made);
  return made;
}
