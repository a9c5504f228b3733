interface Watcher {
  ready: () => boolean;
  done: () => void;
}

/** Those who wait until something is true of what changes under them. */
export class Watchers {
  #watchers = new Set<Watcher>();

  /** Resolves when `ready` is true (asked now, and after each change), or when the signal aborts. */
  until(ready: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ready()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#watchers.delete(watcher);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const watcher = { ready, done };
      this.#watchers.add(watcher);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Something changed: whoever finds it true goes on. */
  notify(): void {
    for (const watcher of this.#watchers) if (watcher.ready()) watcher.done();
  }
}
