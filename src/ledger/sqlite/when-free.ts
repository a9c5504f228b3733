import { faultOf } from './sqlite-errors.ts';

const DEADLINE_MS = 10_000;

/** Repeats `attempt` while another process holds the lock, without blocking the thread. */
export async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (faultOf(error) !== 'busy' || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 2 + Math.random() * 20);
    });
  }
}
