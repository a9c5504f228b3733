import { describe, expect, it } from 'vitest';
import { ANSWERS } from '../../../src/sandbox/api/answers.ts';
import { readFaultScript } from '../../../src/sandbox/faults/fault-script.ts';
import { drawnFault, faultsByRate, faultsByScript } from '../../../src/sandbox/faults/faults.ts';
import { script, start } from '../start.ts';

function rulesOf(text: string): ReturnType<typeof readFaultScript> {
  return readFaultScript(script(text));
}

describe('a fault script', () => {
  it('takes every answer by its name, numbers too', () => {
    const names = Object.keys(ANSWERS);
    const rules = rulesOf(names.map((name) => `- { last: "1", answer: ${name} }`).join('\n'));
    expect(rules.map((rule) => rule.answer.name)).toEqual(names);
  });

  it('takes numbers in any of the three shapes, quoted or not, and keeps leading zeros', () => {
    const rules = rulesOf(
      '- { mobile: 0712345678, answer: hang }\n- { last: 007, answer: hang }\n- answer: hang',
    );
    expect(rules.map((rule) => rule.who)).toEqual([{ mobile: '254712345678' }, { last: '007' }, 'anyone']);
  });

  it.each([
    ['- { mobile: "0712345678", answer: hnag }', '1:35', /no answer `hnag`; the answers are .*\bhang\b/],
    ['- { mobile: "0712345678" }', '1:3', /no `answer`/],
    ['- answer: ok\n- answer: ok\n  anwser: ok', '3:3', /Unknown key `anwser`; the keys are .*\banswer\b/],
    ['- answer: hang\n  time: 2', '2:3', /Unknown key `time`; the keys are .*\btimes\b/],
    ['- answer: hang\n  times: 0', '2:10', /whole number of at least 1/],
    ['- answer: hang\n  times: 1.5', '2:10', /whole number/],
    ['- answer: hang\n  times: often', '2:10', /whole number/],
    ['- { mobile: "12", answer: hang }', '1:13', /no mobile number/],
    ['- { last: "x", answer: hang }', '1:11', /last digits/],
    ['- { mobile: "0712345678", last: "1", answer: hang }', '1:33', /not both/],
    ['- { answer: hang, code: 1 }', '1:25', /belongs to the answer/],
    ['- { answer: 200_fail_code, code: 200 }', '1:34', /code of a failure/],
    ['- { answer: hang, accepted: perhaps }', '1:29', /true or false/],
    ['- { answer: ok, accepted: false }', '1:27', /always accepted/],
    ['- { answer: 429, accepted: true }', '1:28', /always refused/],
    ['- { answer: [hang] }', '1:13', /single value/],
    ['- hang', '1:3', /map with an `answer`/],
    ['answer: hang', '1:1', /list of rules/],
    ['', '1:1', /list of rules/],
    ['- { answer: hang', '1:17', /./],
  ])('refuses %j at %s', (text, place, message) => {
    const file = script(text);
    expect(() => readFaultScript(file)).toThrow(message);
    expect(() => readFaultScript(file)).toThrow(
      expect.objectContaining({ code: 'script_invalid', where: `${file}:${place}` }) as Error,
    );
  });

  it('that is missing keeps the sandbox from starting', async () => {
    await expect(start({ faults: { script: '/nowhere/faults.yaml' } })).rejects.toMatchObject({
      code: 'script_missing',
      where: '/nowhere/faults.yaml',
    });
  });

  it('gives each number the first rule that is for it, as often as the rule says', () => {
    const faults = faultsByScript(
      rulesOf('- { last: "8", answer: 500, times: 2 }\n- { mobile: 0712345678, answer: hang, times: 1 }'),
    );
    const names = (mobile: string) => Array.from({ length: 4 }, () => faults.choose(mobile).name);
    expect(names('254712345678')).toEqual(['500', '500', 'hang', 'ok']);
    expect(names('254700000008')).toEqual(['500', '500', 'ok', 'ok']);
    expect(names('254700000001')).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('counts a rule for anyone in all', () => {
    const faults = faultsByScript(rulesOf('- { answer: 500, times: 2 }'));
    const names = ['254700000001', '254700000002', '254700000003'].map(
      (mobile) => faults.choose(mobile).name,
    );
    expect(names).toEqual(['500', '500', 'ok']);
  });
});

describe('faults by rate', () => {
  const mobiles = Array.from({ length: 50_000 }, (_, index) => `2547${String(index).padStart(8, '0')}`);
  const drawn = (seed: number) =>
    mobiles.map((mobile) => drawnFault({ rate: 0.02, seed }, mobile)?.name ?? 'ok');

  it('hit about as many numbers as the rate says, a tenth of them by a hang', () => {
    const faults = drawn(1).filter((name) => name !== 'ok');
    expect(faults.length).toBeGreaterThan(850);
    expect(faults.length).toBeLessThan(1_150);
    const hangs = faults.filter((name) => name === 'hang').length / faults.length;
    expect(hangs).toBeGreaterThan(0.07);
    expect(hangs).toBeLessThan(0.13);
  });

  it('are the same for the same seed and others for another', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  it('never stop a campaign: no credentials, credit or sender among them', () => {
    const all = mobiles.map((mobile) => drawnFault({ rate: 0.2, seed: 3 }, mobile));
    const words = new Set(all.flatMap((fault) => (fault === null ? [] : [`${fault.name} ${fault.code}`])));
    expect(words.size).toBeGreaterThan(12);
    for (const word of words) expect(word).not.toMatch(/401|400|307|1001|1002|1004|1006|1010/);
  });

  it('meet a number once, but an invalid number stays invalid', () => {
    const faults = faultsByRate({ rate: 1, seed: 1 });
    const twice = mobiles
      .slice(0, 500)
      .map((mobile) => [faults.choose(mobile), faults.choose(mobile)] as const);
    const invalid = twice.filter(([first]) => first.name === '200_fail_code' && first.code === '1003');
    expect(invalid.length).toBeGreaterThan(0);
    for (const [first, second] of twice) {
      const stays = first.name === '200_fail_code' && first.code === '1003';
      expect(second.name).toBe(stays ? '200_fail_code' : 'ok');
      expect(first.name).not.toBe('ok');
    }
  });
});
