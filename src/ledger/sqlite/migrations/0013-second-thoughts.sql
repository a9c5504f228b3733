-- The sender of a campaign before it went on under another one. What went out under it was reported of it: the first row
-- whose `until` lies after a message's claim, else the campaign's own.
CREATE TABLE former_sender (
  campaign    INTEGER NOT NULL,
  until       INTEGER NOT NULL,
  sender      TEXT NOT NULL,
  PRIMARY KEY (campaign, until)
) STRICT, WITHOUT ROWID;

-- A reminder that was skipped because one of another date might have been sent, which a person called not sent.
INSERT INTO transition VALUES ('skipped', 'queued', 'operator');

-- A canceled recurring job fires no more, so nothing of it is to be sent again.
UPDATE schedule SET next_at = NULL, building = NULL
WHERE campaign IN (SELECT n FROM campaign WHERE state = 'canceled');
