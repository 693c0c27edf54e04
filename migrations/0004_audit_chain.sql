-- The audit log can only grow. What is in it is chained by a sequencer soon after: `audit_link` gives every event its
-- place and the hash of everything up to it.
alter table audit_event alter column at type timestamptz(3);
create index audit_event_action on audit_event (action, id);
create index audit_event_actor on audit_event (actor, id);

-- Events that have no link yet. Rows stay for a moment only, so what they leave is cleared away often.
create table audit_pending (event_id bigint primary key)
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table audit_link (
  seq      bigint primary key,
  event_id bigint not null unique references audit_event,
  -- The hash of the link before.
  prev     text   not null,
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
create trigger audit_pending_keep before update or truncate on audit_pending for each statement execute function audit_refuse();
create trigger audit_checkpoint_keep before update or delete or truncate on audit_checkpoint
  for each statement execute function audit_refuse();

-- The functions below look up single rows. Their plans are kept, also those made while the tables were small.

-- Every link goes on from the one before: there are no gaps and no branches.
create function audit_link_arrive() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  first record;
begin
  if exists (
    select from (
      select seq, prev, lag(seq) over by_seq as seq_before, lag(hash) over by_seq as hash_before
      from fresh window by_seq as (order by seq)
    ) link
    where seq <> seq_before + 1 or prev <> hash_before
  ) then
    raise exception 'the audit log can only grow: a link must go on from the one before';
  end if;
  select seq, prev into first from fresh order by seq limit 1;
  -- What lies before a checkpoint is in no export, and goes.
  if exists (select from audit_checkpoint where seq >= first.seq) then
    raise exception 'the audit log can only grow: a link must not be where a checkpoint covers it';
  end if;
  if not (first.seq = 1 and first.prev = repeat('0', 64))
     and not exists (select from audit_link where seq = first.seq - 1 and hash = first.prev)
     and not exists (select from audit_checkpoint where seq = first.seq - 1 and hash = first.prev) then
    raise exception 'the audit log can only grow: a link must go on from the one before';
  end if;
  return null;
end $$;
create trigger audit_link_arrive after insert on audit_link
  referencing new table as fresh for each statement execute function audit_link_arrive();

-- An event waits until it has a link.
create function audit_pending_go() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if exists (select from gone where not exists (select from audit_link l where l.event_id = gone.event_id)) then
    raise exception 'the audit log can only grow: an event without a link must wait for one';
  end if;
  return null;
end $$;
create trigger audit_pending_go after delete on audit_pending
  referencing old table as gone for each statement execute function audit_pending_go();

-- Only what a checkpoint covers may go, and a checkpoint covers nothing that is younger than a day.
create function audit_covered(place bigint) returns boolean language sql stable as $$
  select exists (select from audit_checkpoint where seq >= place)
$$;
create function audit_event_go() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from audit_link where event_id = old.id)
     or old.at > clock_timestamp() - interval '1 day'
     or exists (select from audit_pending where event_id = old.id) then
    raise exception 'the audit log can only grow: DELETE of event % is refused', old.id;
  end if;
  return old;
end $$;
create trigger audit_event_go before delete on audit_event for each row execute function audit_event_go();
create function audit_link_go() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not audit_covered(old.seq) then
    raise exception 'the audit log can only grow: DELETE of link % is refused', old.seq;
  end if;
  return old;
end $$;
create trigger audit_link_go before delete on audit_link for each row execute function audit_link_go();
create function audit_checkpoint_arrive() returns trigger language plpgsql set enable_seqscan = off as $$
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
