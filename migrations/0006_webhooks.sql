-- How far each webhook has been told of what is in the audit log. Whoever holds the lease does the telling.
create table webhook (
  url         text primary key,
  seq         bigint not null,
  attempts    integer not null default 0,
  next_at     timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null default '-infinity'
);
