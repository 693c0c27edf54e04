-- When a key was made, or was given its secret anew: whoever did it has it since then.
alter table api_key add column secret_at timestamptz not null default clock_timestamp();

-- A change that a hook held back, and what became of it. An approval is a state of its change, so there is one row to
-- update, and whoever updates it first has it.
create table change (
  id           text primary key,
  content_hash text not null check (content_hash ~ '^sha256-[0-9a-f]{64}$'),
  path         text not null,
  tool         text not null,
  type         text not null,
  status       text not null default 'blocked' check (status in ('blocked', 'approved', 'rejected', 'used')),
  size_bytes   integer not null,
  -- How many characters of it a reader cannot see.
  invisible    integer not null,
  -- Digest of what is left when literals are taken out: contents of one shape could share a pattern.
  shape        text,
  blocked_at   timestamptz not null default clock_timestamp(),
  decided_at   timestamptz,
  decided_by   text,
  specialist   text,
  reason       text,
  education    text,
  suggestion   text,
  -- Only the SHA-256 of the token.
  token_hash   text unique check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at   timestamptz,
  used_at      timestamptz,
  used_by      text,
  check (status <> 'approved' or (token_hash is not null and expires_at is not null)),
  check (status in ('blocked', 'used') or decided_at is not null)
);
-- The same content for the same path is one open change, however often it is tried.
create unique index change_open on change (content_hash, path) where status in ('blocked', 'approved');
create index change_by_content on change (content_hash, blocked_at desc);
create index change_by_status on change (status, blocked_at desc, id desc);
create index change_by_time on change (blocked_at desc, id desc);
create index change_decided on change (decided_at) where decided_at is not null;
create index change_shape on change (type, shape) where shape is not null;

-- As it was sent, for the reviewer.
create table change_content (
  change_id text primary key references change,
  bytes     bytea not null
);

-- Everyone who asked for it, none of whom may approve it.
create table change_request (
  change_id text not null references change,
  key_id    text not null,
  agent     text not null default '',
  session   text not null default '',
  at        timestamptz not null default clock_timestamp(),
  primary key (change_id, key_id, agent, session)
);
create index change_request_key on change_request (key_id);

create table pattern (
  id           text primary key,
  kind         text not null check (kind in ('approve', 'block')),
  type         text not null,
  pattern      text not null,
  reason       text not null,
  example      text not null,
  specialist   text,
  added_by     text not null,
  added_at     timestamptz not null default clock_timestamp(),
  removed_at   timestamptz,
  removed_by   text,
  usage_count  bigint not null default 0,
  last_used_at timestamptz,
  -- How often content that it matched was decided the other way by a specialist.
  overturned   bigint not null default 0
);
create unique index pattern_once on pattern (kind, type, pattern) where removed_at is null;

-- Processes hold patterns compiled; by this number they see that theirs are not the current ones.
create table pattern_revision (revision bigint not null);
insert into pattern_revision values (1);
create function pattern_revise() returns trigger language plpgsql as $$
begin
  update pattern_revision set revision = revision + 1;
  return null;
end $$;
create trigger pattern_revise after insert or delete or update of kind, type, pattern, removed_at on pattern
  for each statement execute function pattern_revise();
