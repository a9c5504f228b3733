-- By which a report finds its message. The provider's ids come in no order: put in one by one, each would change a page
-- of its own in a large index, and each such page is written to the log. So they wait in `fresh_id`, in the order in
-- which they came, and go in sorted, many at a time, at the latest before any of them is looked for.
CREATE TABLE message_id (
  messageid TEXT NOT NULL,
  campaign  INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (messageid, campaign, seq)   -- not unique by id alone: a provider that repeats one must not cost the other outcomes of the commit
) STRICT, WITHOUT ROWID;
CREATE TABLE fresh_id (
  n        INTEGER PRIMARY KEY,            -- as many as there are, for they leave all at once
  campaign INTEGER NOT NULL,
  seq      INTEGER NOT NULL
) STRICT;

INSERT INTO message_id (messageid, campaign, seq)
SELECT messageid, campaign, seq FROM message WHERE messageid IS NOT NULL ORDER BY messageid;
DROP INDEX message_messageid;

-- Also when it is the same once more: a late answer writes the flags anew, and whether two have the id is asked again.
CREATE TRIGGER message_id_given AFTER UPDATE OF messageid ON message WHEN NEW.messageid IS NOT NULL
BEGIN INSERT INTO fresh_id (campaign, seq) VALUES (NEW.campaign, NEW.seq); END;

CREATE TRIGGER message_id_taken AFTER UPDATE OF messageid ON message
WHEN NEW.messageid IS NOT OLD.messageid AND OLD.messageid IS NOT NULL
BEGIN DELETE FROM message_id WHERE messageid = OLD.messageid AND campaign = OLD.campaign AND seq = OLD.seq; END;
