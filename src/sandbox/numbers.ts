/* Mobile numbers in the shapes of API document 2.1, and their networks. */

const COUNTRY = '254';
const NATIONAL = /^[17]\d{8}$/;
const FOREIGN = /^[1-9]\d{9,14}$/;

/** Turns 254712345678, 0712345678 or 712345678 into international digits. Returns null for any other shape. */
export function internationalMobile(text: string): string | null {
  if (NATIONAL.test(text)) return COUNTRY + text;
  if (text.startsWith('0')) return NATIONAL.test(text.slice(1)) ? COUNTRY + text.slice(1) : null;
  if (text.startsWith(COUNTRY)) return NATIONAL.test(text.slice(COUNTRY.length)) ? text : null;
  return FOREIGN.test(text) ? text : null;
}

/** One network: its id on the wire (`networkid`), the international prefixes it owns, and its price a segment. */
export interface Network {
  id: string;
  name: string;
  prefixes: string[];
  /** Decimal shillings a segment, such as "0.80". */
  price: string;
}

/** 0757, 0758 and 0759 are Safaricom's; the rest of 075 is Airtel's. */
const AIRTEL_075 = ['254750', '254751', '254752', '254753', '254754', '254755', '254756'];

/** The Kenyan networks. The longest prefix wins, and Safaricom owns the rest, so any made-up number has a network. */
export const KENYAN_NETWORKS: Network[] = [
  { id: '1', name: 'Safaricom', price: '0.80', prefixes: ['2547', '2541'] },
  {
    id: '2',
    name: 'Airtel',
    price: '0.90',
    prefixes: ['25410', '25473', ...AIRTEL_075, '254762', '25478'],
  },
  { id: '3', name: 'Telkom', price: '1.00', prefixes: ['25477'] },
  { id: '4', name: 'Equitel', price: '0.80', prefixes: ['254763', '254764', '254765', '254766'] },
];

/** Finds the network with the longest prefix of a number; null: no network owns it. */
export function networkFinder<N extends Network>(networks: N[]): (mobile: string) => N | null {
  const byPrefix = new Map(
    networks.flatMap((network) => network.prefixes.map((prefix) => [prefix, network])),
  );
  const longest = Math.max(...[...byPrefix.keys()].map((prefix) => prefix.length));
  return (mobile) => {
    for (let length = longest; length > 0; length -= 1) {
      const network = byPrefix.get(mobile.slice(0, length));
      if (network !== undefined) return network;
    }
    return null;
  };
}
