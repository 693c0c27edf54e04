-- Events that hooks have told of, by the ids that the hooks gave them: whoever cannot know whether an event arrived sends
-- it again. An id is forgotten when what it stands for is older than what the audit log keeps.
create table hook_event (
  id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
create index hook_event_at on hook_event (at);
