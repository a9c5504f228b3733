import { describe, expect, it } from 'vitest';
import {
  handedRecord,
  NoteSeal,
  ownerRecord,
  readNote,
  verdictRecord,
} from '../../../src/campaign/sending/wire-record.ts';
import type { RegisteredWorker } from '../../../src/ledger/records.ts';
import type { Outcome } from '../../../src/ledger/sending.ts';

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

const PLAIN: Outcome = { ...SENT, seq: 1 };

/** Three messages were handed over in three writes, and two of them were judged. */
function note(): string[] {
  const seal = new NoteSeal();
  return [
    seal.seal(ownerRecord(IDENTITY, { worker: 3, recorded: 10 })),
    seal.seal(handedRecord('1 1 1') + handedRecord('1 2 1')),
    seal.seal(verdictRecord({ outcome: SENT, pause: 'balance' })),
    seal.seal(verdictRecord({ outcome: PLAIN, pause: null }) + handedRecord('1 3 2')),
  ];
}

describe('a wire note', () => {
  it('says what was handed to the wire, and each verdict as it would have been recorded', () => {
    expect(readNote(note().join(''), WORKER)).toEqual({
      handed: new Set(['1 1 1', '1 2 1', '1 3 2']),
      verdicts: [
        { outcome: SENT, pause: 'balance' },
        { outcome: PLAIN, pause: null },
      ],
    });
  });

  it('of which the last write was not finished takes what it can read there for handed over, and no verdict [A20]', () => {
    const text = note().join('');
    const cut = text.length - (note().at(-1) ?? '').length;
    const read = (length: number) => readNote(text.slice(0, length), WORKER);
    for (let length = cut; length < text.length; length += 1) {
      const whole = text.slice(cut, length).includes('H 1 3 2\n') ? ['1 3 2'] : [];
      expect(read(length)?.handed).toEqual(new Set(['1 1 1', '1 2 1', ...whole]));
      expect(read(length)?.verdicts).toHaveLength(1);
    }
  });

  it('hides no message that was handed over when any byte of it is another, or anything is gone or moved [A20]', () => {
    const lines = note();
    const text = lines.join('');
    const proven = new Set<string>();
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      const read = readNote(changed, WORKER);
      proven.add(read === null ? 'nothing' : [...read.handed].join(', '));
    }
    expect([...proven]).toEqual(['nothing', '1 1 1, 1 2 1, 1 3 2']);
    for (let gone = 0; gone < lines.length - 1; gone += 1)
      expect(readNote(lines.toSpliced(gone, 1).join(''), WORKER)).toBeNull();
    expect(readNote([lines[0], lines[2], lines[1], ...lines.slice(3)].join(''), WORKER)).toBeNull();
    expect(readNote('', WORKER)).toBeNull();
    expect(readNote(`${text}\0\0\0\nC 7\n`, WORKER)).toBeNull();
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
