/** Thrown for an address that names nothing. The page that is shown then has its own words. */
export class NoSuchPage extends Error {
  constructor() {
    super('there is no such page');
  }
}
