-- Servers of config/mcp-servers.json as the operator wrote them; values of the environment stay here.
create table mcp_server (
  server_id       text primary key,
  name            text collate "C" not null unique references mcp_name,
  connection_info jsonb not null,
  pin             jsonb,
  updated_at      timestamptz not null default clock_timestamp()
);

-- What each tool of the current release of a name takes and gives.
create table tool_schema (
  name          text collate "C" not null references mcp_name,
  tool          text collate "C" not null,
  description   text not null,
  input_schema  jsonb not null,
  output_schema jsonb,
  annotations   jsonb,
  permissions   jsonb,
  primary key (name, tool)
);
create index tool_schema_tool on tool_schema (tool);

-- One row for everything that can be fetched now: capabilities, MiniTools and servers with the tools they offer.
-- `release_name` equals `name`; a range over both lets a join start in the middle of both tables.
create view pml_registry as
select
  n.name,
  r.name as release_name,
  n.org,
  case when r.type <> 'deno' then 'server' when n.source = 'std' then 'minitool' else 'capability' end as kind,
  n.visibility,
  n.name || '.' || r.hash as fqdn,
  r.hash,
  r.integrity,
  r.type,
  r.routing,
  r.description,
  r.tools,
  r.search,
  r.size_bytes
from mcp_name n
join mcp_release r on r.name = n.name and r.integrity = n.current
where n.retired_at is null;
