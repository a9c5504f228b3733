import type { CampaignReport } from './campaign-report.ts';

/** A part of the planned messages, and how it is coloured. */
export interface Outcome {
  label: string;
  count: number;
  style: 'green' | 'yellow' | 'red' | 'dim' | 'cyan';
  note?: string;
}

/** What came of the planned messages: these counts add up to all of them. */
export function outcomes({ messages, delivery }: CampaignReport): Outcome[] {
  const open = messages.uncertain - messages.written_off;
  return [
    { label: 'Delivered', count: delivery.delivered, style: 'green' },
    { label: 'Not delivered', count: delivery.undelivered, style: 'red' },
    { label: 'Report to come', count: delivery.pending, style: 'cyan' },
    { label: 'No report came', count: delivery.unreported, style: 'yellow' },
    { label: 'Rejected', count: messages.rejected, style: 'red', note: 'refused; not sent' },
    { label: 'Uncertain', count: open, style: 'yellow', note: 'sent or not: nobody knows' },
    { label: 'Written off', count: messages.written_off, style: 'dim' },
    { label: 'Skipped', count: messages.skipped, style: 'dim' },
    { label: 'Canceled', count: messages.canceled, style: 'dim' },
    { label: 'On the wire', count: messages.sending, style: 'cyan' },
    { label: 'Still to send', count: messages.queued, style: 'cyan' },
  ];
}
