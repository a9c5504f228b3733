/**
 * What a refusal in words may hold beside its reason, and nothing that takes it back, puts it off, or speaks of other messages: neither
 * "if", "may", "next", "now" and "further", nor "set", "check" and "default", nor "are" and "messages", which tell what is usual. In
 * English, French and Swahili, with the networks and currencies that such words name.
 */
export const defaultPlain: string[] = `
  a access account accounts address an and api application as at authorised authorized available be because been by character characters
  client code contact cost current customer dear destination digit digits due error failed failure for format funds given had has have i
  id in is it kindly least left length list long message most must name network number numbers of on operator or our phone please provided reason
  receiver recharge records registered request required s selected senderid sendername service sms sorry status support t that the these
  this to top total transaction type unable up us use user valid validation wallet was were with you your
  airtel equitel mtn orange safaricom telkom tigo vodacom kes ksh tzs ugx ngn usd
  au aux car ce cet cette champ compte d de des du est et ete etre la le les nom nous numero par pour pu sur un une votre vous
  akaunti hii kutosha kwa lako namba ni tafadhali ujumbe wako ya yako yetu
`
  .trim()
  .split(/\s+/);
