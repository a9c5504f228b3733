-- name: purges
SELECT n AS campaign, purged_at AS purgedAt FROM campaign WHERE purge_seq IS NOT NULL ORDER BY n;
