import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

const ONE = '254700000001';

let story: LedgerStory;
beforeEach(async () => {
  story = await LedgerStory.begin();
});

/** The error of a command line that is refused before anything is done. */
async function refusal(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await tuma([...args, '--json'], { env: { TUMA_HOME: story.directory } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
}

describe('a flag or an argument that an action has no use for', () => {
  it('is not passed over: remove --sender takes back no opt-out at all', async () => {
    const opted = { mobile: ONE, source: 'reply' };
    await story.ledger.addOptOuts([opted, { ...opted, sender: 'DUKA' }], story.now);
    expect(await refusal('optouts', 'remove', ONE, '--sender', 'DUKA')).toEqual({
      code: 'usage',
      message: 'tuma optouts remove takes no --sender.',
      hint: 'It is: tuma optouts remove NUMBER. It takes back all opt-outs of the number, of every sender, what the person asked for included.',
      where: '--sender',
    });
    expect((await story.ledger.suppressed({ mobiles: [ONE], sender: 'DUKA' })).size).toBe(1);
    expect((await story.ledger.suppressed({ mobiles: [ONE], sender: 'OTHER' })).size).toBe(1);
  });

  it.each([
    ['optouts list --out x.csv', 'tuma optouts list takes no --out.'],
    ['optouts list 0700000001 --reason why', 'tuma optouts list takes no --reason.'],
    ['optouts list --rejects rejects.csv', 'tuma optouts list takes no --rejects.'],
    ['optouts add 0700000001 --out x.csv', 'tuma optouts add takes no --out.'],
    ['optouts import list.csv --reason why', 'tuma optouts import takes no --reason.'],
    ['optouts export foo --out x.csv', 'tuma optouts export has no use for "foo".'],
    ['webhooks list --since 1s', 'tuma webhooks list takes no --since.'],
    ['webhooks list 254700000001', 'tuma webhooks list has no use for "2547****0001".'],
    ['webhooks inspect 1 --shape 1', 'tuma webhooks inspect takes no --shape.'],
    ['webhooks inspect 1 2', 'tuma webhooks inspect has no use for "2".'],
    ['webhooks map Huh delivered --yes', 'tuma webhooks map takes no --yes.'],
    [
      'webhooks map Huh delivered --id-path a',
      'tuma webhooks map does not take these together: "Huh", "delivered", --id-path.',
    ],
    ['webhooks replay --from 203.0.113.9', 'tuma webhooks replay takes no --from.'],
    ['webhooks void 203.0.113.9', 'tuma webhooks void has no use for "203.0.113.9".'],
    [
      'webhooks void --shape 1 --from 203.0.113.9',
      'tuma webhooks void does not take these together: --from, --shape.',
    ],
    [
      'webhooks void --shape 1 --since 2d',
      'tuma webhooks void does not take these together: --since, --shape.',
    ],
  ])('tuma %s', async (line, message) => {
    expect(await refusal(...line.split(' '))).toMatchObject({ code: 'usage', message });
  });

  it('is told with every way that there is', async () => {
    expect((await refusal('webhooks', 'void', '--shape', '1', '--from', '203.0.113.9'))['hint']).toBe(
      'It is: tuma webhooks void --from IP [--since TIME] [--yes], or: tuma webhooks void --shape N [--yes]',
    );
  });
});

it('settings go with every action, and an import needs no --rejects', async () => {
  writeFileSync(join(story.directory, 'list.csv'), 'Phone\n0700000001\n');
  const lines = [
    ['optouts', 'list', '--zone', 'UTC'],
    ['optouts', 'add', ONE, '--sender', 'DUKA', '--reason', 'called us', '--country', 'KE'],
    ['optouts', 'import', join(story.directory, 'list.csv')],
    ['webhooks', 'list', '--sender', 'DUKA'],
    ['webhooks', 'replay', '--country', 'KE'],
  ];
  for (const line of lines)
    expect(await tuma(line, { env: { TUMA_HOME: story.directory } })).toMatchObject({ code: 0 });
});

it.each(['optouts', 'webhooks'])(
  'every flag of tuma %s has a use, or it would be taken by all its actions',
  async (name) => {
    const entry = COMMANDS.find((each) => each.name === name);
    const declared = new Command();
    (await entry?.load())?.command.declare(declared);
    for (const { long } of declared.options) {
      const refused: unknown[] = [];
      for (const action of declared.registeredArguments[0]?.argChoices ?? []) {
        const value = long === '--yes' ? [] : [join(story.directory, 'x')];
        const { stderr } = await tuma([name, action, long ?? '', ...value], {
          env: { TUMA_HOME: story.directory },
        });
        refused.push(stderr.includes(`takes no ${long}.`));
      }
      expect([long, new Set(refused)]).toEqual([long, new Set([true, false])]);
    }
  },
);
