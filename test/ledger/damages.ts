/* What can be wrong with a sound ledger, as statements that break it, and what `tuma verify` must say of each. */

export const DAMAGES: [what: string, statements: string[], found: RegExp[]][] = [
  [
    'a counter that the messages do not explain',
    ["UPDATE campaign_count SET messages = 7, cost = 5000000 WHERE campaign = 1 AND delivery = 'delivered'"],
    [
      /^counters \| bf-1 \| counter sent delivered .* \| keeps 7 messages that cost 5\.00, its messages add up to 1 messages that cost 0\.80$/,
    ],
  ],
  [
    'counters of time that are missing',
    [
      "DELETE FROM campaign_time WHERE campaign = 1 AND unit = 60000 AND what = 'sent'",
      "DELETE FROM campaign_latency WHERE campaign = 1 AND what = 'delivery'",
    ],
    [
      /^counters \| bf-1 \| counter 60000 \d+ sent \| keeps 0 messages, its messages add up to 3 messages$/,
      /^counters \| bf-1 \| counter delivery \d+ \| keeps 0 messages, its messages add up to 1 messages$/,
    ],
  ],
  [
    'a message that was begun before the canary let it go',
    [
      'INSERT INTO canary (campaign, messages, wait_ms, delivered) SELECT n, 9, 1000, 0.8 FROM campaign WHERE n = 1',
    ],
    [/^before_canary \| bf-1 \| message 10 \| was begun before the canary let it go$/],
  ],
  [
    'charges of the account that no message explains',
    ["UPDATE account SET spent = spent + 1 WHERE client_id = 'acc'"],
    [/^account_spent \|  \| account acc \| keeps 1\.600001, its messages add up to 1\.60$/],
  ],
  [
    'money held back for nobody',
    [
      'UPDATE account SET reserved = reserved + 800000',
      'UPDATE campaign SET reserved = reserved + 800000 WHERE n = 1',
    ],
    [/^campaign_reserved \| bf-1 \|/, /^account_reserved \|/],
  ],
  [
    'messages in flight that are not',
    ['UPDATE account SET in_flight = 9'],
    [/^account_in_flight \|  \| account acc \| keeps 9 in flight/],
  ],
  [
    'a budget that was eaten by nothing',
    ['UPDATE campaign SET spent = 0 WHERE n = 1'],
    [/^campaign_spent \| bf-1 \| campaign bf-1 \| keeps 0\.00/],
  ],
  [
    'a lost row',
    ['DELETE FROM message WHERE campaign = 1 AND seq = 4'],
    [/^planned \| bf-1 \| campaign bf-1 \| keeps 10 messages, its messages add up to 9/, /^contiguous \|/],
  ],
  [
    'an upload that does not add up',
    ['UPDATE upload SET planned = 11, read = 11 WHERE campaign = 1'],
    [/^planned \| bf-1 .* keeps 11 messages/],
  ],
  [
    'a batch that leaves out a message',
    ['UPDATE batch SET last_seq = last_seq - 1 WHERE first_seq = 5 AND campaign = 1'],
    [/^batches_cover \| bf-1 \| batch \d+ \| messages 9 to 10 follow 7$/, /^unreapable .* message 8 /],
  ],
  [
    'batches that end too early',
    ['DELETE FROM batch WHERE first_seq = 9 AND campaign = 1'],
    [
      /^batches_cover \| bf-1 \| campaign bf-1 \| keeps 8 messages/,
      /^unreapable .* 9 /,
      /^unreapable .* 10 /,
    ],
  ],
  [
    'a batch that is called settled and is not',
    [
      'UPDATE batch SET settled_at = 1, worker = NULL, lease_until = NULL WHERE first_seq = 9 AND campaign = 1',
    ],
    [
      /^settled_hints \| bf-1 \| batch \d+ \| is settled, yet message 9 is sending$/,
      /^settled_hints .* message 10 /,
    ],
  ],
  [
    'something on the wire of a worker that nobody will end',
    ['DELETE FROM hold WHERE batch = (SELECT id FROM batch WHERE first_seq = 9 AND campaign = 1)'],
    [/^unreapable \| bf-1 \| message 9 \|/, /^unreapable \| bf-1 \| message 10 \|/],
  ],
  [
    'a negative cost',
    ['UPDATE message SET cost = -800000, counted = -800000 WHERE campaign = 1 AND seq = 2'],
    [/^campaign_spent/, /^account_spent/, /^odd_messages \| bf-1 \| message 2 \| has a negative amount$/],
  ],
  [
    'a message that was sent without an id',
    ['UPDATE message SET messageid = NULL WHERE campaign = 1 AND seq = 2'],
    [/^odd_messages \| bf-1 \| message 2 \| was sent without a messageid$/],
  ],
  [
    'a rejected message that cost something',
    ['UPDATE message SET cost = 1 WHERE campaign = 1 AND seq = 4'],
    [/^odd_messages \| bf-1 \| message 4 \| is rejected and has a cost$/],
  ],
  [
    'an attempt that was not kept',
    ['DELETE FROM attempt WHERE seq = 6'],
    [/^attempts \| bf-1 \| message 6 \| is at attempt 2, 0 earlier/],
  ],
  [
    'a message that was sent again although it was sent',
    ["UPDATE attempt SET outcome = 'sent' WHERE seq = 6"],
    [/^unauthorised \| bf-1 \| message 6 \| was tried again after it was sent, and nobody asked for it$/],
  ],
  [
    'a message that was taken back as never sent, had an answer, and was not counted',
    ["UPDATE attempt SET reason = 'taken back, never sent', send_ms = 12 WHERE seq = 6"],
    [
      /^never_sent \| bf-1 \| message 6 \|/,
      /^taken_back .* keeps 0 attempts, its messages add up to 1 attempts$/,
    ],
  ],
  [
    'an uncertain message that went again without a person',
    ["UPDATE attempt SET outcome = 'uncertain' WHERE seq = 6"],
    [/^unauthorised \| bf-1 \| message 6 \| was tried again after it was uncertain/],
  ],
  [
    'a message that is sent by a report that is not there',
    ["UPDATE message SET basis = 'report' WHERE campaign = 1 AND seq = 2"],
    [/^unfounded_sent \| bf-1 \| message 2 \|/],
  ],
  [
    'a lease of somebody who has ended',
    [
      'UPDATE batch SET worker = (SELECT max(id) FROM worker), lease_until = 9 WHERE first_seq = 9 AND campaign = 1',
      'UPDATE worker SET ended_at = 1',
    ],
    [/^dead_leases \|  \| batch \d+ \| is leased by worker \d+, which has ended$/],
  ],
  [
    'a delivery that its reports do not say',
    ["UPDATE message SET delivery = 'undelivered' WHERE campaign = 1 AND seq = 1"],
    [/^delivery_fold \| bf-1 \| message 1 \| is undelivered, its reports say delivered$/],
  ],
  [
    'a delivery that nobody reported',
    ["UPDATE message SET delivery = 'delivered' WHERE campaign = 1 AND seq = 2"],
    [/^unfounded_delivery \| bf-1 \| message 2 \| is delivered without/],
  ],
  [
    'a report that is joined to nothing',
    ['UPDATE report SET seq = 99'],
    [
      /^lost_reports \|  \| report 1 \| is joined to message 99 .* does not exist$/,
      /^unfounded_delivery \| bf-1 \| message 1/,
    ],
  ],
  [
    'a report that is joined to another message',
    ["UPDATE report SET messageid = 'id-9'"],
    [/^lost_reports .* has another messageid$/],
  ],
  [
    'a report that is joined loosely to a message of another mobile',
    ["UPDATE report SET messageid = 'ID-1', mobile = '254700000002'"],
    [/^lost_reports .* has another messageid$/, /^other_mobiles /],
  ],
  [
    'a report that is joined loosely although another message has its id and its mobile',
    [
      "UPDATE message SET messageid = 'ID-1', key = 'two', mobile = (SELECT mobile FROM message WHERE campaign = 1 AND seq = 1) WHERE campaign = 1 AND seq = 2",
      "UPDATE report SET messageid = 'ID-1', mobile = (SELECT mobile FROM message WHERE campaign = 1 AND seq = 1)",
    ],
    [/^outbid_reports .* report 1 \| is joined loosely, yet message 2 of campaign 1 has/],
  ],
  [
    'a report that is ambiguous although one of two messages with its id has its mobile',
    [
      "UPDATE message SET messageid = 'id-1', flags = 'id_conflict' WHERE campaign = 1 AND seq IN (1, 2)",
      "UPDATE report SET joined = 'ambiguous', campaign = NULL, seq = NULL, mobile = (SELECT mobile FROM message WHERE campaign = 1 AND seq = 2)",
    ],
    [/^unambiguous_reports .* report 1 \|/, /^unfounded_delivery .* message 1 /],
  ],
  [
    'an id that two messages have and no flag',
    ["UPDATE message SET messageid = 'id-1' WHERE campaign = 1 AND seq = 2"],
    [/^repeated_ids .* message 1 of campaign bf-1 \|/, /^repeated_ids .* message 2 of campaign bf-1 \|/],
  ],
  [
    'a change of state that was made legal',
    [
      "INSERT INTO transition VALUES ('uncertain', 'queued', 'reaper')",
      "DELETE FROM transition WHERE to_state = 'rejected' AND actor = 'worker'",
    ],
    [
      /^transitions .* uncertain → queued by reaper \| is allowed/,
      /^transitions .* sending → rejected by worker \| is missing/,
    ],
  ],
  [
    'rows of an upload that came to nothing',
    ['UPDATE upload SET duplicate = 3 WHERE campaign = 1'],
    [/^rows_read \| bf-1 \| upload \d \| read 10 rows, of which 13 came to something$/],
  ],
  [
    'a cost that is not what counts',
    ['UPDATE message SET counted = 5 WHERE campaign = 1 AND seq = 2'],
    [/^campaign_spent/, /^odd_messages \| bf-1 \| message 2 \| cost 800000 but counts 5$/],
  ],
  [
    'a rejected message that counts',
    ['UPDATE message SET counted = 5 WHERE campaign = 1 AND seq = 4'],
    [/^campaign_spent/, /^odd_messages .* message 4 \| is rejected and counts as spent$/],
  ],
  [
    'a message that is done and holds money back',
    ['UPDATE message SET reserved = 5 WHERE campaign = 1 AND seq = 2'],
    [/^account_reserved/, /^odd_messages .* message 2 \| is sent and holds money back$/],
  ],
  [
    'a message that was rejected without an attempt',
    ['UPDATE message SET attempt = 0 WHERE campaign = 1 AND seq = 4'],
    [/^odd_messages .* message 4 \| is rejected without an attempt$/],
  ],
  [
    'a message that was sent and never claimed',
    ['UPDATE message SET claimed_at = NULL WHERE campaign = 1 AND seq = 2'],
    [/^odd_messages .* message 2 \| is sent and was never claimed$/],
  ],
  [
    'a verdict that was never recorded',
    ['UPDATE message SET settled_at = NULL WHERE campaign = 1 AND seq = 4'],
    [/^odd_messages .* message 4 \| is rejected since never$/],
  ],
  [
    'a sent message without a delivery',
    ['UPDATE message SET delivery = NULL WHERE campaign = 1 AND seq = 2'],
    [/^odd_messages .* message 2 \| is sent and has no delivery$/],
  ],
  [
    'a delivery of what was not sent',
    ["UPDATE message SET delivery = 'pending' WHERE campaign = 1 AND seq = 4"],
    [/^odd_messages .* message 4 \| is rejected and has a delivery$/],
  ],
  [
    'a conflict of what was not delivered',
    ['UPDATE message SET conflict = 1 WHERE campaign = 1 AND seq = 2'],
    [/^odd_messages .* message 2 \| is in conflict and not delivered$/, /^unfounded_delivery .* message 2 /],
  ],
  [
    'a sent message that is written off',
    ['UPDATE message SET written_off = 1 WHERE campaign = 1 AND seq = 2'],
    [/^odd_messages .* message 2 \| is written off and sent$/],
  ],
  [
    'a message that went before its moment, and one that went after it',
    [
      'UPDATE message SET not_before = claimed_at + 1 WHERE campaign = 1 AND seq = 2',
      'UPDATE message SET not_after = claimed_at - 60001 WHERE campaign = 1 AND seq = 3',
    ],
    [
      /^off_moment \| bf-1 \| message 2 \| was claimed before its moment$/,
      /^off_moment \| bf-1 \| message 3 \| was claimed when its moment was over$/,
    ],
  ],
  [
    'messages on the wire of a worker that nobody knows',
    ['DELETE FROM worker'],
    [6, 7, 8, 9, 10].map((seq) => new RegExp(`^unreapable .* message ${seq} `)),
  ],
  [
    'a message that was tried again more often than somebody asked for it',
    [
      'UPDATE message SET attempt = 3 WHERE campaign = 1 AND seq = 6',
      "UPDATE attempt SET outcome = 'rejected', reason = 'no' WHERE seq = 6",
      "INSERT INTO attempt (campaign, seq, number, outcome, reason) VALUES (1, 6, 2, 'rejected', 'no')",
      "INSERT INTO audit (at, by, verb, campaign, detail) VALUES (1, 'me', 'retry', 1, '{\"reason\":null}')",
    ],
    [/^unauthorised .* message 6 \| was tried again after it was rejected 2 times, and 1 were asked for$/],
  ],
  [
    'a message that was tried again when somebody asked for others',
    [
      "UPDATE attempt SET outcome = 'rejected', reason = 'no' WHERE seq = 6",
      "INSERT INTO audit (at, by, verb, campaign, detail) VALUES (1, 'me', 'retry', 1, '{\"reason\":\"other\"}')",
      "INSERT INTO audit (at, by, verb, campaign, detail) VALUES (1, 'me', 'resolve', 1, '{\"decision\":\"not_sent\"}')",
    ],
    [/^unauthorised .* message 6 \| was tried again after it was rejected, and nobody asked for it$/],
  ],
  [
    'a report that was acknowledged and is not kept',
    ['DELETE FROM report'],
    [
      /^unkept_webhooks \|  \| webhook 1 \| was read as a delivery report/,
      /^unfounded_delivery .* message 1 /,
    ],
  ],
  [
    'a report that was taken back and still counts',
    ['UPDATE webhook SET voided_at = 1'],
    [/^voided_reports \|  \| report 1 \| is of webhook 1, which was taken back$/],
  ],
  [
    'a report that waits for a message that is there',
    ["UPDATE report SET joined = 'waiting', campaign = NULL, seq = NULL"],
    [
      /^unjoined_reports .* report 1 \| waits, yet message 1 of campaign bf-1 has/,
      /^unfounded_delivery .* message 1 /,
    ],
  ],
  [
    'a report that is joined to a message of another mobile',
    ["UPDATE report SET mobile = '254799999999'"],
    [
      /^other_mobiles \|  \| report 1 \| is joined to message 1 of campaign bf-1, which went to another mobile$/,
    ],
  ],
  [
    'a report that is ambiguous though it names the mobile',
    [
      "UPDATE report SET joined = 'ambiguous', campaign = NULL, seq = NULL, mobile = (SELECT mobile FROM message WHERE seq = 1)",
    ],
    [/^unambiguous_reports .* report 1 \|/, /^unfounded_delivery .* message 1 /],
  ],
  [
    'a report that is ambiguous without a reason',
    ["UPDATE report SET joined = 'ambiguous', campaign = NULL, seq = NULL"],
    [/^unambiguous_reports .* report 1 \|/, /^unfounded_delivery .* message 1 /],
  ],
  [
    'a report of a webhook that nobody has',
    ['UPDATE report SET webhook = 99'],
    [
      /^orphans \|  \| report 1 \| belongs to a webhook that does not exist$/,
      /^unkept_webhooks .* webhook 1 /,
    ],
  ],
  [
    'a reading that knows of more charges than there are',
    ["INSERT INTO reading (account, at, credit, spent, quiet) VALUES ('acc', 2, 9, 1600001, 1)"],
    [/^readings \|  \| reading 1 \| began when 1600001 were charged, account acc knows 1600000/],
  ],
];
