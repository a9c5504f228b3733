-- What a dead worker's wire note proves, the reaper carries out (docs/state-machines.md, section 3).
INSERT INTO transition VALUES
  ('sending', 'queued', 'reaper'), ('sending', 'sent', 'reaper'), ('sending', 'rejected', 'reaper');

-- Verdicts recorded of this worker, ever: a note that knows of more is newer than this ledger, and proves nothing of it.
ALTER TABLE worker ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0;

-- Messages that killed workers had claimed and never sent. Each has an attempt that says so.
ALTER TABLE campaign ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0;
