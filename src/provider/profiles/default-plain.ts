/**
 * What a refusal in words may hold beside its reason, and nothing that takes it back, puts it off, or speaks of other messages: neither
 * "if", "may", "next", "now" and "further", nor "check" and "default", nor "are", which tells what is usual. In English, French and
 * Swahili, with the networks and currencies that such words name.
 */
export const defaultPlain: string[] = `
  a access account accounts amount an and as at authorised authorized available be because been by character characters client code cost
  current customer dear digit digits due error failed failure for format from funds given had has have i id in is it kindly least left
  length list message messages most must name network number numbers of on operator or our please provided reason receiver recharge records
  registered request s service set sms sorry status support t contact that the these this to top total transaction unable up us use user valid
  validation was were with you your
  airtel equitel mtn orange safaricom telkom tigo vodacom kes ksh tzs ugx ngn usd
  au aux car ce cet cette champ compte de des du est et ete etre la le les nom nous numero par pour pu sur un une votre vous
  akaunti hii kutosha kwa lako namba ni tafadhali ujumbe wako ya yako yetu
`
  .trim()
  .split(/\s+/);
