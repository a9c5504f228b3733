/** Times by the wall clock of a zone, because a spreadsheet's times have no zone. */
export class LocalTimes {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
  }

  /** The wall clock as a date whose UTC fields it is. */
  date(iso: string): Date {
    return new Date(`${this.text(iso).replace(' ', 'T')}Z`);
  }

  /** Such as 2026-11-27 09:00:00. */
  text(iso: string): string {
    return this.#format.format(new Date(iso));
  }
}
