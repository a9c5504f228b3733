-- One message to a number, key and occurrence in a campaign. A table of its own and not an index of `message`, because a
-- plan comes in no order: a draft's identities are put in sorted, many at a time, and no commit touches all of them.

CREATE TABLE identity (
  campaign    INTEGER NOT NULL,
  mobile      TEXT NOT NULL,
  key         TEXT NOT NULL,
  occurrence  TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (campaign, mobile, key, occurrence)
) STRICT, WITHOUT ROWID;
INSERT INTO identity
SELECT campaign, mobile, key, occurrence, seq FROM message ORDER BY campaign, mobile, key, occurrence;
DROP INDEX message_identity;

-- What joins a campaign after its launch has its identity in the same statement, or is refused.
DROP TRIGGER message_born;
CREATE TRIGGER message_born AFTER INSERT ON message
WHEN NEW.state <> 'queued' OR NEW.actor <> 'planner' OR (SELECT state FROM campaign WHERE n = NEW.campaign) IS NOT 'draft'
BEGIN
  SELECT RAISE (ABORT, 'a message begins as queued, by the planner') WHERE NEW.state <> 'queued' OR NEW.actor <> 'planner';
  INSERT INTO identity (campaign, mobile, key, occurrence, seq)
  VALUES (NEW.campaign, NEW.mobile, NEW.key, NEW.occurrence, NEW.seq);
END;

-- A draft may wait with them. No two rows share an identity, so as many identities as messages means that each has its own.
CREATE TRIGGER campaign_identified BEFORE UPDATE OF state ON campaign
WHEN OLD.state = 'draft' AND NEW.state <> 'draft'
  AND (SELECT count(*) FROM identity WHERE campaign = NEW.n)
    <> (SELECT coalesce(max(seq), 0) FROM message WHERE campaign = NEW.n)
BEGIN SELECT RAISE (ABORT, 'a message of the draft has no identity of its own'); END;

CREATE TRIGGER message_purged AFTER UPDATE OF mobile, key ON message
BEGIN
  UPDATE identity SET mobile = NEW.mobile, key = NEW.key
  WHERE campaign = OLD.campaign AND mobile = OLD.mobile AND key = OLD.key AND occurrence = OLD.occurrence;
END;

CREATE TRIGGER message_left AFTER DELETE ON message
BEGIN
  DELETE FROM identity
  WHERE campaign = OLD.campaign AND mobile = OLD.mobile AND key = OLD.key AND occurrence = OLD.occurrence
    AND seq = OLD.seq;
END;

-- An identity stays as long as its message.
CREATE TRIGGER identity_kept BEFORE DELETE ON identity
WHEN (SELECT state FROM campaign WHERE n = OLD.campaign) IS NOT 'draft'
  AND EXISTS (SELECT 1 FROM message WHERE campaign = OLD.campaign AND seq = OLD.seq)
BEGIN SELECT RAISE (ABORT, 'a message of a launched campaign keeps its identity'); END;
