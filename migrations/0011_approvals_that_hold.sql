-- The files of config/ that are in force: losing one must not loosen anything, a restart in between included.
create table config_file (
  name text primary key,
  text text not null
);

-- Who made a key or gave it a new secret, and when. A rotation adds a maker and hides none.
create table key_maker (
  key_id  text not null,
  made_by text not null,
  at      timestamptz not null,
  primary key (key_id, made_by, at)
);
insert into key_maker select id, created_by, secret_at from api_key where created_by is not null;
create function api_key_made() returns trigger language plpgsql as $$
begin
  insert into key_maker values (new.id, new.created_by, new.secret_at) on conflict do nothing;
  return null;
end $$;
create trigger api_key_made after insert or update of created_by, secret_at on api_key
  for each row when (new.created_by is not null) execute function api_key_made();

-- Names as a reader sees them, for comparing who asked with who decides. Names from before are folded as well as SQL can.
alter table change_request add column agent_fold text not null default '';
alter table change_request add column session_fold text not null default '';
update change_request set
  agent_fold = replace(replace(translate(lower(regexp_replace(normalize(agent, NFKC), '\s', '', 'g')), '01i|!_', 'ollll-'), 'rn', 'm'), 'vv', 'w'),
  session_fold = replace(replace(translate(lower(regexp_replace(normalize(session, NFKC), '\s', '', 'g')), '01i|!_', 'ollll-'), 'rn', 'm'), 'vv', 'w');
create index change_request_agent on change_request (key_id, agent_fold) where agent_fold <> '';
create index change_request_session on change_request (key_id, session_fold) where session_fold <> '';
