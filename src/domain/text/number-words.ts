/** 12345 as 12,345. */
export function whole(count: number): string {
  return count.toLocaleString('en-US');
}

/** "12345.60" as "12,345.60": the digits stay as they are. */
export function grouped(amount: string): string {
  const [units = '', decimals = ''] = amount.split('.');
  return `${units.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${decimals}`;
}
