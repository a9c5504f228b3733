-- Personal data that is removed when it is old. Counts, costs, states and message ids stay.

-- The last message that is done, while a campaign is purged; and when all of it was.
ALTER TABLE campaign ADD COLUMN purge_seq INTEGER;
ALTER TABLE campaign ADD COLUMN purged_at INTEGER;
ALTER TABLE webhook ADD COLUMN purged_at INTEGER;

CREATE TRIGGER campaign_purge_settled BEFORE UPDATE OF purge_seq, purged_at ON campaign
WHEN (SELECT settled FROM campaign_settled WHERE campaign = NEW.n) IS NOT 1
  OR EXISTS (SELECT 1 FROM schedule WHERE campaign = NEW.n AND next_at IS NOT NULL)
  OR (OLD.purge_seq IS NOT NULL AND NEW.purge_seq IS NULL) OR OLD.purged_at IS NOT NULL
BEGIN SELECT RAISE (ABORT, 'only a settled campaign is purged, and once'); END;

-- The one change of identity there is: to nobody's, while the campaign is purged.
DROP TRIGGER message_identity_fixed;
CREATE TRIGGER message_identity_fixed BEFORE UPDATE OF campaign, seq, mobile, key, occurrence ON message
WHEN NOT (
  NEW.campaign = OLD.campaign AND NEW.seq = OLD.seq AND NEW.occurrence = OLD.occurrence
  AND NEW.mobile = 'purged-' || OLD.seq AND NEW.key = ''
  AND EXISTS (SELECT 1 FROM campaign WHERE n = OLD.campaign AND purge_seq IS NOT NULL AND purged_at IS NULL)
)
BEGIN SELECT RAISE (ABORT, 'the identity of a message is fixed'); END;

-- What was purged cannot be sent again. On the batch, which everything that waits must make due: no claim pays for it.
CREATE TRIGGER batch_purged BEFORE UPDATE OF settled_at ON batch
WHEN NEW.settled_at IS NULL AND (SELECT purge_seq FROM campaign WHERE n = OLD.campaign) IS NOT NULL
BEGIN SELECT RAISE (ABORT, 'nothing of a purged campaign is sent again'); END;

-- A number that an operator named leaves the audit with the campaign; nothing else of it ever changes.
DROP TRIGGER audit_kept_update;
CREATE TRIGGER audit_kept_update BEFORE UPDATE ON audit
WHEN NOT (
  NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.by = OLD.by AND NEW.verb = OLD.verb AND NEW.campaign = OLD.campaign
  AND NEW.detail = json_remove(OLD.detail, '$.mobile')
  AND EXISTS (SELECT 1 FROM campaign WHERE n = OLD.campaign AND purge_seq IS NOT NULL AND purged_at IS NULL)
)
BEGIN SELECT RAISE (ABORT, 'the audit is append-only'); END;
