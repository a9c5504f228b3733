import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessWatch } from './process-watch.ts';

/** No single program of a bench may take longer. */
const LONGEST_MS = 30 * 60_000;
const END_MS = 20_000;
const WORDS_KEPT = 20_000;

const running = new Set<Program>();
let interrupted = false;

/** Ends every program in its own way, for a bench that is interrupted; none is started after this. */
export async function endPrograms(): Promise<void> {
  interrupted = true;
  await Promise.all([...running].map((program) => program[Symbol.asyncDispose]()));
}

/** A process of its own that a bench started. Disposing it ends it. */
export class Program implements AsyncDisposable {
  /** Its memory and processor time, as far as this system tells. */
  readonly watch: ProcessWatch;
  #child: ChildProcess;
  #name: string;
  #messages: object[] = [];
  #changed: () => void = () => undefined;
  #stdout = '';
  #stderr = '';
  #ended: Promise<number | null>;
  #hasEnded = false;

  constructor(command: string[], options: { env: NodeJS.ProcessEnv; cwd?: string; talks: boolean }) {
    if (interrupted) throw new Error('the bench is being interrupted');
    const [file = '', ...args] = command;
    this.#name = command
      .map((word) => basename(word))
      .slice(0, 2)
      .join(' ');
    this.#child = spawn(file, args, {
      env: options.env,
      cwd: options.cwd,
      stdio: options.talks ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    });
    running.add(this);
    this.watch = new ProcessWatch(this.#child.pid ?? 0);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-WORDS_KEPT);
      this.#changed();
    });
    this.#child.on('message', (message) => {
      this.#messages.push(message as object);
      this.#changed();
    });
    this.#ended = this.#end();
    // Whoever waits for something of it is told; a bench that waits for nothing is not ended by it.
    this.#ended.catch(() => undefined);
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** The exit code; null after a signal. Rejects when it cannot be started or takes for ever. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** The next message that it tells; throws when it ends instead. */
  async told<Message extends object>(): Promise<Message> {
    return (await this.#until('to tell something', () => this.#messages.shift())) as Message;
  }

  async ask<Message extends object>(): Promise<Message> {
    this.#child.send({});
    return this.told<Message>();
  }

  /** Waits until stderr matches; throws when it ends instead. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(`to print ${pattern}`, () => pattern.exec(this.#stderr) ?? undefined);
  }

  /** An error with its last words. */
  failure(what: string): Error {
    return new Error(`${this.#name} ${what}. Its last words:\n${this.#stderr.slice(-2_000) || '(none)'}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    if (!this.#hasEnded) this.#child.kill('SIGTERM');
    await this.#ended.catch(() => undefined);
    clearTimeout(timer);
  }

  async #until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#hasEnded) throw this.failure(`ended and was expected ${what}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#changed = resolve;
      await Promise.race([promise, this.#ended]);
    }
  }

  async #end(): Promise<number | null> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), LONGEST_MS);
    try {
      const [code] = (await once(this.#child, 'close')) as [number | null];
      return code;
    } finally {
      clearTimeout(timer);
      this.#hasEnded = true;
      running.delete(this);
      this.watch.stop();
    }
  }
}

/** Starts one of the yardsticks beside this file, in a process of its own. `flags`: of Node. */
export function startYardstick(file: string, options: object = {}, flags: string[] = []): Program {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { PATH, HOME } = process.env;
  const command = [process.execPath, ...flags, path, JSON.stringify(options)];
  return new Program(command, { env: { PATH, HOME }, talks: true });
}
