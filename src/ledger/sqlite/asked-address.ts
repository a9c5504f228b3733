/** The address of the request whose operation runs now (ledger/asked-from.ts). Operations run one after the other. */
let address: string | null = null;

/** Runs an operation that was asked for from an address. */
export function withAddress<Result>(from: string, operation: () => Result): Result {
  address = from;
  try {
    return operation();
  } finally {
    address = null;
  }
}

/** Where the running operation was asked for; null: at this machine, or by Tuma itself. */
export function askedAddress(): string | null {
  return address;
}
