-- The audit log can only grow. What is in it is chained by a sequencer soon after: `audit_link` gives every event its
-- place and the hash of everything up to it.
alter table audit_event alter column at type timestamptz(3);
create index audit_event_action on audit_event (action, id);
create index audit_event_actor on audit_event (actor, id);

-- Events that have no link yet.
create table audit_pending (event_id bigint not null);

create table audit_link (
  seq      bigint primary key,
  event_id bigint not null unique references audit_event,
  hash     text   not null check (hash ~ '^[0-9a-f]{64}$')
);

-- Where the log begins after old events were removed: the chain goes on from `hash`.
create table audit_checkpoint (
  seq  bigint primary key,
  hash text not null,
  at   timestamptz(3) not null default clock_timestamp()
);

insert into audit_pending select id from audit_event order by id;

-- When something happened is not for the writer to say.
create function audit_event_arrive() returns trigger language plpgsql as $$
begin
  new.at := clock_timestamp();
  insert into audit_pending values (new.id);
  return new;
end $$;
create trigger audit_event_arrive before insert on audit_event for each row execute function audit_event_arrive();

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log can only grow: % of % is refused', tg_op, tg_table_name;
end $$;
create trigger audit_event_keep before update or truncate on audit_event for each statement execute function audit_refuse();
create trigger audit_link_keep before update or truncate on audit_link for each statement execute function audit_refuse();
create trigger audit_checkpoint_keep before update or delete or truncate on audit_checkpoint
  for each statement execute function audit_refuse();

-- Only what a checkpoint covers may go, and a checkpoint covers nothing that is younger than a day.
create function audit_covered(place bigint) returns boolean language sql stable as $$
  select exists (select from audit_checkpoint where seq >= place)
$$;
create function audit_event_go() returns trigger language plpgsql as $$
begin
  if exists (select from audit_link where event_id = old.id)
     or old.at > clock_timestamp() - interval '1 day'
     or exists (select from audit_pending where event_id = old.id) then
    raise exception 'the audit log can only grow: DELETE of event % is refused', old.id;
  end if;
  return old;
end $$;
create trigger audit_event_go before delete on audit_event for each row execute function audit_event_go();
create function audit_link_go() returns trigger language plpgsql as $$
begin
  if not audit_covered(old.seq) then
    raise exception 'the audit log can only grow: DELETE of link % is refused', old.seq;
  end if;
  return old;
end $$;
create trigger audit_link_go before delete on audit_link for each row execute function audit_link_go();
create function audit_checkpoint_arrive() returns trigger language plpgsql as $$
begin
  new.at := clock_timestamp();
  if not exists (
    select from audit_link l join audit_event e on e.id = l.event_id
    where l.seq = new.seq and l.hash = new.hash and e.at <= clock_timestamp() - interval '1 day'
  ) then
    raise exception 'a checkpoint must be at a link that is older than a day, with its hash';
  end if;
  return new;
end $$;
create trigger audit_checkpoint_arrive before insert on audit_checkpoint
  for each row execute function audit_checkpoint_arrive();
