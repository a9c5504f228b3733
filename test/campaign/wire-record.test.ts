import { describe, expect, it } from 'vitest';
import { NoteWriter, readNote } from '../../src/campaign/wire-record.ts';
import type { RegisteredWorker } from '../../src/ledger/records.ts';
import type { Outcome } from '../../src/ledger/sending.ts';

const IDENTITY = { bootId: 'boot', pidNamespace: 'ns', pid: 7, startTicks: '99', roles: 'worker' };
const WORKER: RegisteredWorker = { ...IDENTITY, worker: 3, heartbeatAt: 0, recorded: 10 };
const SENT: Outcome = {
  campaign: 1,
  seq: 2,
  attempt: 1,
  sendMs: 12,
  evidence: null,
  to: 'sent',
  messageId: 'a\nb "ü" 1',
  network: '1',
  costMicro: 8e5,
  segments: 1,
  flags: [],
};

/** Three messages were handed over, and one of them was judged. */
function note(): string[] {
  const writer = new NoteWriter();
  return [
    writer.owner(IDENTITY, { worker: 3, recorded: 10 }),
    writer.handed('1 1 1'),
    writer.handed('1 2 1'),
    writer.verdict({ outcome: SENT, pause: 'balance' }),
    writer.handed('1 3 2'),
  ];
}

describe('a wire note', () => {
  it('says what was handed to the wire, and each verdict as it would have been recorded', () => {
    expect(readNote(note().join(''), WORKER)).toEqual({
      handed: new Set(['1 1 1', '1 2 1', '1 3 2']),
      verdicts: [{ outcome: SENT, pause: 'balance' }],
    });
  });

  it('of which the last record was not finished says nothing of that one [A20]', () => {
    const lines = note();
    const cut = lines.join('').length - (lines.at(-1) ?? '').length;
    for (let length = cut; length < lines.join('').length; length += 1)
      expect(readNote(lines.join('').slice(0, length), WORKER)?.handed).toEqual(new Set(['1 1 1', '1 2 1']));
  });

  it('proves nothing when any byte before its last record is another, or any record is gone or moved [A20]', () => {
    const lines = note();
    const text = lines.join('');
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      // Without its line end the last record is one that was not finished.
      if (at === text.length - 1) continue;
      expect(readNote(changed, WORKER), `byte ${at}`).toBeNull();
    }
    for (let gone = 0; gone < lines.length - 1; gone += 1)
      expect(readNote(lines.toSpliced(gone, 1).join(''), WORKER)).toBeNull();
    expect(readNote([lines[0], lines[2], lines[1], ...lines.slice(3)].join(''), WORKER)).toBeNull();
    expect(readNote('', WORKER)).toBeNull();
    expect(readNote(`${text}\0\0\0\n`, WORKER)).toBeNull();
  });

  it.each([
    ['of another worker', { worker: 4 }],
    ['of another boot', { bootId: 'later' }],
    ['of another process', { pid: 8 }],
    ['of a process that had the same number earlier', { startTicks: '98' }],
    ['of another container', { pidNamespace: 'other' }],
    ['that is newer than the ledger, which is a copy that was put back', { recorded: 9 }],
  ])('%s proves nothing [A20]', (_what, changes) => {
    expect(readNote(note().join(''), { ...WORKER, ...changes })).toBeNull();
  });
});
