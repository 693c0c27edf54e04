-- Content is compared byte for byte now; before, line ends and byte order marks were left out. What was approved stays
-- approved, for the very bytes that were reviewed. A change whose content never arrived keeps the hash it came with.
update change c set content_hash = 'sha256-' || encode(sha256(k.bytes), 'hex')
from change_content k
where k.change_id = c.id and not exists (
  select from change other
  where other.id <> c.id and other.path = c.path and other.status in ('blocked', 'approved')
    and other.content_hash = 'sha256-' || encode(sha256(k.bytes), 'hex'));

-- Which rules a pattern was last checked against. The server checks again, at its start, those of an older version, and
-- disables the ones that no longer comply.
alter table pattern add column rules integer not null default 1;
alter table pattern add column disabled_reason text;
alter table pattern alter column rules set default 2;
