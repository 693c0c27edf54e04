-- Which key first asked for a change: open changes and stored bytes are limited for each key.
alter table change add column asked_by text;
update change c set asked_by = (select key_id from change_request r where r.change_id = c.id order by at limit 1);
create index change_open_of_key on change (asked_by) where status = 'blocked';

-- The content of a decided change is dropped after the retention time; what is known about it stays.
alter table change add column content_dropped_at timestamptz;
create index change_to_drop on change (decided_at) where decided_at is not null and content_dropped_at is null;

-- Bytes of the contents that each key has stored.
create table change_storage (
  key_id text primary key,
  bytes  bigint not null
);
insert into change_storage
select asked_by, sum(octet_length(bytes)) from change join change_content on change_id = id
where asked_by is not null group by asked_by;
