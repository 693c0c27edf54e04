-- The public keys of the log, from the first to the current one. The private key is in a file beside the data.
create table log_key (
  id         integer generated always as identity primary key,
  -- C2SP signed-note form: <origin>+<key id>+<base64>.
  key        text not null unique,
  -- By the key before, over a text that names this one; null for the first.
  signature  text,
  created_at timestamptz not null default clock_timestamp()
);
create trigger log_key_keep before update or delete or truncate on log_key
  for each statement execute function audit_refuse();

-- Checkpoints as the registry signed them, once by each key.
create table audit_signature (
  seq       bigint  not null,
  key_id    integer not null references log_key,
  signature text    not null,
  primary key (seq, key_id)
);
create trigger audit_signature_keep before update or delete or truncate on audit_signature
  for each statement execute function audit_refuse();

-- Visibility belongs to a release: what was published in private stays so when the name becomes public later.
-- `mcp_name.visibility` is that of the current release.
alter table mcp_release add column visibility text not null default 'public'
  check (visibility in ('public', 'private'));
update mcp_release r set visibility = 'private' from mcp_name n where n.name = r.name and n.visibility = 'private';
-- As far back as the audit log goes, it says which earlier releases were never public.
update mcp_release r set visibility = 'private' from mcp_name n
where n.name = r.name and n.visibility = 'public' and n.current is distinct from r.integrity
  and exists (
    select from audit_event e where e.subject = r.name and e.action in ('mcp.publish', 'mcp.describe')
      and e.detail ->> 'integrity' = r.integrity and e.detail ->> 'visibility' = 'private')
  and not exists (
    select from audit_event e where e.subject = r.name and e.action in ('mcp.publish', 'mcp.describe')
      and e.detail ->> 'integrity' = r.integrity and e.detail ->> 'visibility' = 'public');

-- A use is public for good once a public release had it: bytes that anyone could read cannot be taken back.
alter table blob_use add column visibility text not null default 'public'
  check (visibility in ('public', 'private'));
update blob_use u set visibility = 'private' from mcp_name n where n.name = u.name and n.visibility = 'private';
update blob_use u set visibility = 'private' from mcp_release r
where r.name = u.name and r.integrity = u.integrity and r.visibility = 'private';
create index blob_use_public on blob_use (integrity) where visibility = 'public';

-- What a key holds open ends when the key does, on every replica.
create function api_key_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('pml_key_changed', old.id);
  return null;
end $$;
create trigger api_key_changed after update of revoked_at, secret_hash, expires_at on api_key
  for each row execute function api_key_notify();
create trigger api_key_removed after delete on api_key for each row execute function api_key_notify();
