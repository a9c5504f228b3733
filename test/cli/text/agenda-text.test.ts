import { describe, expect, it } from 'vitest';
import { agendaRows } from '../../../src/cli/text/agenda-text.ts';
import type { CampaignSettings } from '../../../src/domain/campaign.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';
import type { Agenda } from '../../../src/ledger/contracts/schedules.ts';

const SETTINGS = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6] },
  ratePerSecond: null,
};
/** Friday, 27 November 2026, 17:00 in Nairobi. */
const NOW = Date.UTC(2026, 10, 27, 14);
const HOUR = 3_600_000;
const LOOK = { now: NOW, accountRate: null };
const NOTHING: Agenda = { nextDueAt: null, due: [], firedBy: null, schedule: null };

/** A campaign of 12,000 that sends one message a second and has 9,000 left. */
function overview(
  changes: Partial<CampaignOverview>,
  { startAt = null, ...settings }: Partial<CampaignSettings> & { startAt?: number | null } = {},
): CampaignOverview {
  return {
    campaign: { startAt, settings: { ...SETTINGS, ...settings } },
    state: 'running',
    reason: null,
    startedAt: NOW - HOUR,
    lastSentAt: NOW,
    sentLast10s: 10,
    messages: { queued: 9_000, sending: 0, sent: 3_000, rejected: 0, uncertain: 0, skipped: 0, canceled: 0 },
    ...changes,
  } as CampaignOverview;
}

const rows = (seen: CampaignOverview, agenda = NOTHING) => agendaRows(seen, agenda, LOOK);

describe('what is to come for a campaign', () => {
  it('its start, by the clock of its zone, that of the world, and how long until then', () => {
    const startAt = NOW + 3 * HOUR + 12 * 60_000;
    expect(rows(overview({ state: 'scheduled' }, { startAt }))).toEqual([
      ['starts', 'Fri 27 Nov 2026, 20:12 (17:12 UTC), in 3 h 12 m'],
    ]);
  });

  it('its end, where it meets that of its hours: over the night and on', () => {
    expect(rows(overview({}))).toEqual([
      [
        'hours',
        'the window closes Fri 27 Nov 2026, 18:00; goes on Sat 28 Nov 2026, 08:00, ends about Sat 28 Nov 2026, 09:30',
      ],
    ]);
    const soon = overview({ messages: { ...overview({}).messages, queued: 1_800 } });
    expect(rows(soon)).toEqual([
      ['hours', 'ends about Fri 27 Nov 2026, 17:30; the window closes Fri 27 Nov 2026, 18:00'],
    ]);
  });

  it('when it goes on, while its hours are over', () => {
    const late = NOW + 2 * HOUR;
    const over = overview({ state: 'paused', reason: 'window' });
    expect(agendaRows(over, NOTHING, { ...LOOK, now: late })).toEqual([
      ['hours', 'it goes on Sat 28 Nov 2026, 08:00 (05:00 UTC), in 13 h 0 m'],
    ]);
  });

  it('of reminders the next moment, and no end: most of them wait for their days', () => {
    const remind = { column: 'due', offset: { days: -3 }, at: 540 } as unknown as NonNullable<
      CampaignSettings['remind']
    >;
    expect(rows(overview({}, { remind }), { ...NOTHING, nextDueAt: NOW + HOUR })).toEqual([
      ['next due', 'Fri 27 Nov 2026, 18:00 (15:00 UTC), in 1 h 0 m'],
    ]);
    const due = [
      { at: NOW + HOUR, messages: 1 },
      { at: NOW + 40 * HOUR, messages: 1_200 },
    ];
    expect(rows(overview({}, { remind }), { ...NOTHING, nextDueAt: NOW + HOUR, due })).toEqual([
      ['next due', 'Fri 27 Nov 2026, 18:00 (15:00 UTC), in 1 h 0 m: 1 reminder'],
      ['', 'Sun 29 Nov 2026, 09:00: 1,200 reminders'],
    ]);
    expect(rows(overview({}, { remind }))).toEqual([]);
  });
});
