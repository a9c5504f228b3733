import type { IgnoredFlag } from '../../campaign/launch/open-campaign.ts';

/** Says which flags of a launch changed nothing, because the campaign is open already. At least one. */
export function ignoredNote(id: string, ignored: readonly IgnoredFlag[]): string {
  const flags = ignored.map((flag) => `--${flag}`).join(', ');
  const change = ignored.length === 1 ? 'changes' : 'change';
  return `${flags} ${change} nothing, because the campaign is open already. To begin anew: tuma cancel ${id}, then launch with --again.`;
}
