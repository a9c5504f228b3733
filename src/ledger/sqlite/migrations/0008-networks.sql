-- Networks whose messages wait.

-- Seen in the delivery reports of one campaign, and decided here, so that neither a restart nor a second worker forgets it.
CREATE TABLE network_hold (
  campaign    INTEGER NOT NULL REFERENCES campaign (n),
  network     TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('held', 'probing', 'well', 'overridden')),
  why         TEXT NOT NULL,
  since       INTEGER NOT NULL,                                   -- when it was held first
  until       INTEGER NOT NULL,                                   -- held: tried again; probing: its probes are waited for
  wait_ms     INTEGER NOT NULL,
  counted_from INTEGER NOT NULL,                                  -- messages claimed until then say nothing any more
  reopened    INTEGER NOT NULL DEFAULT 0,
  alone       INTEGER NOT NULL DEFAULT 0,                         -- nothing else of the campaign went while it was held
  probes      TEXT NOT NULL DEFAULT '[]',                         -- JSON: the messages that try it
  PRIMARY KEY (campaign, network)
) STRICT, WITHOUT ROWID;

-- Seen while sending by one worker process, which alone holds them: told here for whoever looks.
CREATE TABLE network_ill (
  worker      INTEGER NOT NULL,
  network     TEXT NOT NULL,
  since       INTEGER NOT NULL,
  until       INTEGER NOT NULL,
  PRIMARY KEY (worker, network)
) STRICT, WITHOUT ROWID;
