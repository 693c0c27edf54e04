-- Secrets have at least 128 bits of chance in them, so a plain SHA-256 is as good as a slow hash and far cheaper.
create table api_key (
  id           text primary key,
  name         text not null,
  secret_hash  text not null,
  scopes       text[] not null,
  specialist   text,
  origin       text not null check (origin in ('first-start', 'environment', 'api')),
  created_at   timestamptz not null default now(),
  created_by   text,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);

create table audit_event (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  actor   text not null,
  action  text not null,
  subject text not null,
  detail  jsonb not null
);
create index audit_event_subject on audit_event (subject, id);
