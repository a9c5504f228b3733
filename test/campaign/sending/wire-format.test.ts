import { describe, expect, it } from 'vitest';
import type { LeftFile } from '../../../src/campaign/env.ts';
import { readNote, slotAt, slotOf, StatusBlock } from '../../../src/campaign/sending/wire-format.ts';
import type { RegisteredWorker } from '../../../src/ledger/contracts/records.ts';
import type { Outcome } from '../../../src/ledger/contracts/sending.ts';

const WORKER: RegisteredWorker = {
  bootId: 'boot',
  pidNamespace: 'ns',
  pid: 7,
  startTicks: '99',
  roles: 'worker',
  worker: 3,
  heartbeatAt: 0,
  recorded: 10,
  claims: 5,
  lock: 'lock',
};
const FACTS = { writes: 9, writtenAt: 1_000_000, asked: 5, recorded: 10 };
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
const HANDED = ['1 1 1', '1 2 1', '1 3 2'];

/** Three messages were handed over, and two of them were judged. */
function note(facts: Partial<typeof FACTS> = {}): LeftFile {
  const block = new StatusBlock({ worker: 3, file: 'file' });
  const places = HANDED.map((key) => {
    const [campaign = 0, seq = 0, attempt = 0] = key.split(' ').map(Number);
    return block.take({ campaign, seq, attempt }) ?? 0;
  });
  const status = block.sealed({ ...FACTS, ...facts });
  const bytes = Buffer.alloc(slotAt(2));
  status.copy(bytes);
  slotOf({ outcome: PLAIN, pause: null }, 'file')?.copy(bytes, slotAt(places[0] ?? 0));
  slotOf({ outcome: SENT, pause: 'balance' }, 'file')?.copy(bytes, slotAt(places[1] ?? 0));
  const at = FACTS.writtenAt;
  return { bytes, identity: 'file', changedAt: at, counted: FACTS.writes, countedAt: at };
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): LeftFile {
  const copy = Buffer.from(bytes);
  change(copy);
  return { ...note(), bytes: copy };
}

describe('a wire note', () => {
  it('says what was handed to the wire, and each verdict as it would have been recorded', () => {
    expect(readNote(note(), WORKER)).toEqual({
      handed: new Set(HANDED),
      verdicts: [
        { outcome: PLAIN, pause: null },
        { outcome: SENT, pause: 'balance' },
      ],
    });
  });

  it('of which any byte is another hides no message that was handed over, and makes up no verdict [A20]', () => {
    const { bytes } = note();
    const blockBytes = bytes.readUInt32LE(4);
    const slots = [slotAt(0), slotAt(1)].flatMap((at) =>
      Array.from({ length: 8 + bytes.readUInt32LE(at + 4) }, (_, index) => at + index),
    );
    const whole = readNote(note(), WORKER);
    for (const at of [...Array(blockBytes).keys(), ...slots]) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = changed(bytes, (copy) => copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at));
        const read = readNote(flipped, WORKER);
        if (at < blockBytes) expect(read, `bit ${bit} of byte ${at}`).toBeNull();
        else {
          expect(read?.handed).toEqual(whole?.handed);
          expect(read?.verdicts).toHaveLength(1);
        }
      }
    }
  });

  it('that was cut anywhere hides no message that was handed over [A20]', () => {
    const { bytes } = note();
    const blockBytes = bytes.readUInt32LE(4);
    for (let length = 0; length < bytes.length; length += length < 2 * blockBytes ? 1 : 997) {
      const read = readNote({ ...note(), bytes: bytes.subarray(0, length) }, WORKER);
      if (length < blockBytes) expect(read, `${length} bytes`).toBeNull();
      else expect(read?.handed).toEqual(new Set(HANDED));
    }
  });

  it('with a block of zeros anywhere hides no message that was handed over [A20]', () => {
    const { bytes } = note();
    const blockBytes = bytes.readUInt32LE(4);
    for (const size of [1, 12, 64, 512, 4_096])
      for (let from = 0; from < blockBytes; from += 1) {
        const zeroed = changed(bytes, (copy) => copy.fill(0, from, from + size));
        if (!zeroed.bytes.equals(bytes)) expect(readNote(zeroed, WORKER), `${size} at ${from}`).toBeNull();
      }
  });

  it('reads a place that was used again by its present attempt only', () => {
    const block = new StatusBlock({ worker: 3, file: 'file' });
    const place = block.take({ campaign: 1, seq: 1, attempt: 1 }) ?? 0;
    block.free(place);
    expect(block.take({ campaign: 1, seq: 8, attempt: 1 })).toBe(place);
    const bytes = Buffer.alloc(slotAt(1));
    block.sealed(FACTS).copy(bytes);
    slotOf({ outcome: PLAIN, pause: null }, 'file')?.copy(bytes, slotAt(place));
    expect(readNote({ ...note(), bytes }, WORKER)).toEqual({ handed: new Set(['1 8 1']), verdicts: [] });
  });

  it('takes no verdict that is too long for its slot, and no more messages than it has places for', () => {
    const evidence = { httpStatus: 400, code: null, raw: 'x'.repeat(5_000) };
    expect(slotOf({ outcome: { ...SENT, evidence }, pause: null }, 'file')).toBeNull();
    const block = new StatusBlock({ worker: 3, file: 'file' });
    for (let seq = 1; seq <= 10_000; seq += 1)
      expect(block.take({ campaign: 1, seq, attempt: 1 })).not.toBeNull();
    expect(block.take({ campaign: 1, seq: 10_001, attempt: 1 })).toBeNull();
  });

  it.each([
    ['of another worker', { worker: 4 }],
    ['that is newer than the ledger, which is a copy that was put back', { recorded: 9 }],
    ['from before a claim that the ledger knows', { claims: 6 }],
  ])('%s proves nothing [A20]', (_what, changes) => {
    expect(readNote(note(), { ...WORKER, ...changes })).toBeNull();
  });

  it.each<[string, Partial<LeftFile>]>([
    ['in another file', { identity: 'copy' }],
    ['whose count was changed later', { countedAt: FACTS.writtenAt + 21 }],
    ['whose count was changed earlier, by a clock that was set', { countedAt: FACTS.writtenAt - 21 }],
    [
      'with one write more than was counted, that somebody else changed later',
      { counted: FACTS.writes - 1, changedAt: FACTS.writtenAt + 21 },
    ],
    ['with fewer writes than its worker counted', { counted: FACTS.writes + 1 }],
    ['with more writes than its worker counted', { counted: FACTS.writes - 2 }],
  ])('%s proves nothing [A20]', (_what, changes) => {
    expect(readNote({ ...note(), ...changes }, WORKER)).toBeNull();
  });

  it('is believed when its worker was killed while it wrote a verdict, or the next block', () => {
    expect(readNote({ ...note(), changedAt: FACTS.writtenAt + 5_000 }, WORKER)?.handed.size).toBe(
      HANDED.length,
    );
  });

  it('takes no verdict from the note of another file', () => {
    const copied = note();
    slotOf({ outcome: PLAIN, pause: null }, 'another file')?.copy(copied.bytes, slotAt(0));
    expect(readNote(copied, WORKER)?.verdicts).toEqual([{ outcome: SENT, pause: 'balance' }]);
  });

  it('is believed when its worker was killed before it counted the last write, or asked for one more claim', () => {
    expect(readNote({ ...note(), counted: FACTS.writes - 1 }, WORKER)?.handed.size).toBe(HANDED.length);
    expect(readNote(note({ asked: 6 }), WORKER)?.handed.size).toBe(HANDED.length);
  });
});
