/*
 * What is held against strangers, each item in a few words: docs/security.md names them. Every item has at least one test
 * whose title begins with its id; test/security.test.ts holds that.
 */

export const SECURITY: Record<string, string> = {
  X1: 'webhooks are let in by an unguessable address, of which two are valid while one is replaced',
  X2: 'a forged delivery report moves no state but the delivery, and is taken back',
  X3: 'forged opt-outs raise an alarm and are taken back',
  X4: 'what is posted again has one effect',
  X5: 'floods, slow sockets and large bodies have bounds',
  X6: 'nobody chooses the address that is noted',
  X7: 'a content type decides nothing',
  X8: 'names of prototypes are names, in JSON and in CSV headers',
  X9: 'Redis holds ids only',
  X10: 'credentials are in no log, error, argv, report of a crash or environment of a child',
  X11: 'each role and the user of Redis have no more rights than they need',
  X12: 'who can write to Redis cannot send',
  X13: 'no formula in what a spreadsheet opens',
  X14: 'a CSV that is a bomb is refused or costs a row',
  X15: 'encodings are read right or refused with their place',
  X16: 'a template does fields and blocks, a value is no template',
  X17: 'no address of a webhook is ever fetched',
  X18: 'no name of a stranger becomes the name of a file',
  X19: 'media are served without being run',
  X20: 'what people wrote is text on every page',
  X21: 'the pages are for who signed in, and for nobody who guesses; each route asks for a role',
  X22: 'no request of another site changes anything',
  X23: 'no page of the queue is open',
  X24: 'no text of a user ends a header',
  X25: 'no text forges a line of the log',
  X26: 'no text becomes a part of SQL',
  X27: 'no text makes an expression slow',
  X28: 'opt-out words are recognised, and nothing like them',
  X29: 'compressed and deeply nested bodies are refused',
  X30: 'packages are pinned, hashed, of one registry, and run no script',
  X31: 'what would be published is on a list',
  X32: 'personal data is for its owner, and removed when it is old',
  X33: 'an old ledger does not send again',
  X34: 'the service has no more rights than it needs',
  X35: 'an answer of the provider is input like any other',
  X36: 'nobody sends by mistake',
  X37: 'what people did is on record',
};

/** Parts of items that concern what is not there yet; each such item is held, and tested, for what is there. */
export const SECURITY_TO_COME: Record<string, string> = {
  X19: 'pages that show files: until there are some, no address gives one out',
};
