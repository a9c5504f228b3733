/** Thrown for a request whose asker is not known, or may not do this. */
export class NotAllowed extends Error {
  readonly status: 401 | 403;

  constructor(status: 401 | 403) {
    super(status === 401 ? 'not signed in' : 'not allowed');
    this.status = status;
  }
}
