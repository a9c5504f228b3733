/*
 * The methods of arrays for work that is awaited. One item is done before the next begins, because the statements of a
 * transaction run in the order in which they are written.
 */

type Work<Item, Result> = (item: Item) => Promise<Result>;

/** As `map`. */
export async function mapInOrder<Item, Result>(
  items: Iterable<Item>,
  work: Work<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** As `flatMap`. */
export async function flatMapInOrder<Item, Result>(
  items: Iterable<Item>,
  work: Work<Item, readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(...(await work(item)));
  return results;
}

/** As `some`: the first item that fits is the last that is looked at. */
export async function someInOrder<Item>(items: Iterable<Item>, fits: Work<Item, boolean>): Promise<boolean> {
  for (const item of items) if (await fits(item)) return true;
  return false;
}

/** As `find`. */
export async function findInOrder<Item>(
  items: Iterable<Item>,
  fits: Work<Item, boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (await fits(item)) return item;
  return undefined;
}
