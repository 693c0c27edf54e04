-- Bytes are stored once under their digest and never deleted.
create table blob (
  integrity  text primary key check (integrity ~ '^sha256-[0-9a-f]{64}$'),
  media_type text  not null,
  bytes      bytea not null
);

-- One row for every name ever used. The "C" collation makes the catalog's order that of the bytes.
create table mcp_name (
  name       text collate "C" primary key check (name ~ '^[A-Za-z_][A-Za-z0-9_-]{0,63}(\.[A-Za-z_][A-Za-z0-9_-]{0,63}){3}$'),
  org        text not null generated always as (split_part(name, '.', 1)) stored,
  source     text not null check (source in ('published', 'std', 'config')),
  visibility text not null default 'public' check (visibility in ('public', 'private')),
  current    text,
  retired_at timestamptz,
  created_at timestamptz not null default now(),
  revision   bigint not null default 1,
  updated_at timestamptz not null default clock_timestamp()
);
create index mcp_name_updated_at on mcp_name (updated_at);

-- Every release is kept. `hash` labels it in FQDNs and never means another release of the name.
-- `served` is what GET answers when that is not the blob itself (metadata carries its own fqdn and integrity).
create table mcp_release (
  name           text collate "C" not null references mcp_name,
  integrity      text not null references blob,
  hash           text not null check (hash ~ '^[0-9a-f]{4,64}$'),
  type           text not null check (type in ('deno', 'stdio', 'http')),
  routing        text not null check (routing in ('client', 'server')),
  routing_chosen boolean not null,
  description    text not null,
  tools          text[] not null,
  search         text not null,
  size_bytes     integer not null,
  served         bytea,
  served_digest  text not null,
  primary key (name, integrity),
  unique (name, hash)
);
create index mcp_release_tools on mcp_release using gin (tools);

alter table mcp_name add constraint mcp_name_current foreign key (name, current) references mcp_release (name, integrity);

-- The order in which releases became current; a release may return.
create table publication (
  id           bigint generated always as identity primary key,
  name         text collate "C" not null,
  integrity    text not null,
  published_at timestamptz not null default clock_timestamp(),
  published_by text not null,
  foreign key (name, integrity) references mcp_release (name, integrity)
);
create index publication_name on publication (name, id);

-- A blob may be read by whoever may read one of the names that use it.
create table blob_use (
  integrity text not null references blob,
  name      text collate "C" not null references mcp_name,
  primary key (integrity, name)
);

-- Replicas drop a name from memory when they hear of it; `revision` and `updated_at` let them find what they missed.
create function mcp_name_touch() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger mcp_name_touch before update on mcp_name for each row execute function mcp_name_touch();

create function mcp_name_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('pml_changed', new.name);
  return null;
end $$;
create trigger mcp_name_notify after insert or update on mcp_name for each row execute function mcp_name_notify();
