-- Reminders, corrected uploads and recurring jobs. Whatever is due is found here; nothing else remembers it.

-- After this a message that still waits is too late: it is skipped. Null: it is never too late.
ALTER TABLE message ADD COLUMN not_after INTEGER;

-- A corrected upload may name again what an earlier one left out.
INSERT INTO transition VALUES ('canceled', 'queued', 'planner');

-- The reminders of one reading of a contacts file, in order of their moments, until they have their place.
CREATE TABLE staged (
  draft       INTEGER NOT NULL,
  not_before  INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL,
  occurrence  TEXT NOT NULL,
  about       TEXT NOT NULL,                                      -- the occurrence; empty where a key lets it move
  fields      TEXT NOT NULL,
  segments    INTEGER NOT NULL,
  not_after   INTEGER NOT NULL,
  skip        TEXT,                                               -- why it will not be sent; null: it will
  PRIMARY KEY (draft, not_before, line)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX staged_identity ON staged (draft, mobile, key, about);

-- A corrected upload that was accepted and is being laid over an open campaign, of which nothing is claimed meanwhile.
CREATE TABLE applying (
  campaign    INTEGER PRIMARY KEY REFERENCES campaign (n),
  draft       INTEGER NOT NULL,
  upload      INTEGER NOT NULL,
  phase       TEXT NOT NULL CHECK (phase IN ('lay', 'cancel', 'clean')),
  after_moment INTEGER NOT NULL DEFAULT -9007199254740991,        -- lay: the last staged row that has its place
  after_line  INTEGER NOT NULL DEFAULT 0,
  after_seq   INTEGER NOT NULL DEFAULT 0                          -- cancel: the last message that was looked at
) STRICT;

-- A recurring job: the campaign is the snapshot that each firing copies.
CREATE TABLE schedule (
  campaign    INTEGER PRIMARY KEY REFERENCES campaign (n),
  next_at     INTEGER,                                            -- null: it never fires again
  building    INTEGER                                             -- the draft of the firing under way
) STRICT;

CREATE TABLE firing (
  schedule    INTEGER NOT NULL REFERENCES schedule (campaign),
  at          INTEGER NOT NULL,
  campaign    INTEGER UNIQUE REFERENCES campaign (n),             -- null: missed
  decided_at  INTEGER NOT NULL,
  PRIMARY KEY (schedule, at)
) STRICT, WITHOUT ROWID;
