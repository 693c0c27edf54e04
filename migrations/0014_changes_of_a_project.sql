-- A change and its approval belong to the project that they were raised in. Those from before, and those of callers that
-- do not say, belong to the project without a name.
alter table change add column project text not null default '';

drop index change_open;
create unique index change_open on change (content_hash, path, project) where status in ('blocked', 'approved');
