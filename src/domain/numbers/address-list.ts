import { BlockList, isIP } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Addresses of machines and networks, as settings name them: `203.0.113.7, 10.0.0.0/8, 2001:db8::/32`. */
export class AddressList {
  readonly #list = new BlockList();
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Null: a part is no address, or it is a network of all addresses. */
  static parse(text: string): AddressList | null {
    const list = new AddressList(text);
    const parts = text.split(',').map((part) => part.trim());
    return parts.every((part) => list.#add(part)) ? list : null;
  }

  has(address: string): boolean {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  }

  toString(): string {
    return this.#text;
  }

  #add(part: string): boolean {
    const [address = '', bits, ...rest] = part.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0) return false;
    const name = family === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) {
      this.#list.addAddress(address, name);
      return true;
    }
    const length = /^\d{1,3}$/.test(bits) ? Number(bits) : 0;
    if (length < 1 || length > (family === 4 ? 32 : 128)) return false;
    this.#list.addSubnet(address, length, name);
    return true;
  }
}

/** A plain IPv4 address, also from its form `::ffff:192.0.2.1` on a dual socket. */
export function plainAddress(address: string): string {
  return address.replace(MAPPED, '');
}
