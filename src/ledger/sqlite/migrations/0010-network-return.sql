-- What a campaign holds for a network waits until it is brought back.
ALTER TABLE network_hold ADD COLUMN brings_back INTEGER NOT NULL DEFAULT 0;   -- 1: there may be some to bring back

-- Which network a held message is held for; a row that was claimed all the same says nothing any more.
CREATE TABLE network_held (
  campaign    INTEGER NOT NULL,
  network     TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (campaign, network, seq)
) STRICT, WITHOUT ROWID;

-- The messages that try held networks. `takes_place`: not those that were put back, rejected or canceled.
CREATE VIEW network_probe AS
SELECT h.campaign, h.network, m.delivery, m.state IN ('sending', 'sent', 'uncertain') AS takes_place
FROM network_hold AS h CROSS JOIN json_each(h.probes) AS p
CROSS JOIN message AS m ON m.campaign = h.campaign AND m.seq = p.value;
