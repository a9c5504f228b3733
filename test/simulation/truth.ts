/** What really happened at the provider. It survives every crash, for it is outside of every process. */
export class Truth {
  /** Requests that began: from which process, to which number, when (monotonic milliseconds). */
  readonly requests: { pid: number; mobile: string; at: number }[] = [];
  readonly accepted: Accepted[] = [];
  /** Requests of which no process could learn what became of them though it lived. */
  lostAnswers = 0;
  creditRefusals = 0;
  /** Raw webhooks that were answered with a 200. */
  readonly acknowledged: string[] = [];
  /** What was found wrong while it happened. */
  readonly problems: string[] = [];

  acceptedOf(mobile: string): Accepted[] {
    return this.accepted.filter((message) => message.mobile === mobile);
  }
}

/** A message that the provider took and charged. */
export interface Accepted {
  mobile: string;
  text: string;
  messageId: string;
  costMicro: number;
  at: number;
  /** Delivery reports of it that were acknowledged. */
  reported: ReportWord[];
}

export type ReportWord = 'delivered' | 'undelivered' | 'pending';
