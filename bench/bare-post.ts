import type { Dispatcher, Pool } from 'undici';

const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'bench'];

/** Posts a message to the sink by undici's lowest call, `dispatch`, which is faster than `request`; resolves to the answer's body. */
export function barePost(pool: Pool, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { path: '/api/services/sendsms', method: 'POST', body, headers: HEADERS },
      new Answer(resolve, reject),
    );
  });
}

class Answer implements Dispatcher.DispatchHandler {
  #chunks: Buffer[] = [];
  readonly #resolve: (body: string) => void;
  readonly onResponseError: (controller: Dispatcher.DispatchController, error: Error) => void;

  constructor(resolve: (body: string) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.onResponseError = (_controller, error) => reject(error);
  }

  // undici wants a handler to have these two.
  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    this.#resolve((this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)).toString());
  }
}
