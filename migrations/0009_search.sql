-- Filling the search table of a large registry takes longer than a request may.
set local statement_timeout = 0;

-- Text as the search index splits it: words with spaces between them. "readFile" becomes "read File".
-- Characters are listed, because what a letter is depends on the locale of the database.
create function catalog_split(text) returns text language plpgsql immutable parallel safe as $$
declare split text := $1;
begin
  if split ~ '[A-Z]' then
    split := regexp_replace(regexp_replace(split, '([a-z0-9])([A-Z])', '\1 \2', 'g'), '([A-Z])([A-Z][a-z])', '\1 \2', 'g');
  end if;
  if octet_length(split) = length(split) then
    return regexp_replace(split, '[^A-Za-z0-9]+', ' ', 'g');
  end if;
  return regexp_replace(split, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u2bff\u3000-\u3004\U0001f000-\U0001faff]+', ' ', 'g');
end $$;

-- What search finds an entry by. Weight A: its name, B: its tools, D: everything, description included.
-- Stop words count in names ("datetime.now"), nowhere else.
-- Lexemes that no word can be carry the rest: ".word" a word of the name, "=word" a whole component of the name without
-- separators, "@type", "@routing" and "@private" the filters, "#xx" one of 256 equal shares of all entries.
-- The limits keep the result below the megabyte that a tsvector may have.
create function catalog_words(
  name text, type text, routing text, visibility text, tools text[], search text
) returns tsvector language plpgsql immutable parallel safe as $$
declare
  name_text text := lower(catalog_split(name));
  tool_text text := lower(catalog_split(left(array_to_string(tools, ' '), 16000)));
  name_words tsvector := to_tsvector('pg_catalog.simple', name_text) || to_tsvector('pg_catalog.english', name_text);
  marks text[] := array['@' || type, '@' || routing, '#' || left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 2)];
begin
  if visibility = 'private' then
    marks := marks || '@private'::text;
  end if;
  return setweight(name_words, 'A')
    || setweight(to_tsvector('pg_catalog.english', tool_text), 'B')
    || to_tsvector('pg_catalog.english', catalog_split(left(search, 16000)))
    || array_to_tsvector(marks
      || array(select '.' || word from unnest(tsvector_to_array(name_words)) word)
      || array(select '=' || component from unnest(string_to_array(lower(translate(name, '_-', '')), '.')) component));
end $$;

-- One row for each name that can be fetched now, as the catalog lists and searches it. Triggers keep it in step.
create table catalog_entry (
  name       text collate "C" primary key references mcp_name,
  org        text not null,
  visibility text not null,
  type       text not null,
  routing    text not null,
  tools      text[] not null,
  words      tsvector not null
);

insert into catalog_entry (name, org, visibility, type, routing, tools, words)
select name, org, visibility, type, routing, tools, catalog_words(name, type, routing, visibility, tools, search)
from pml_registry;

create index catalog_entry_public on catalog_entry (name) where visibility = 'public';
create index catalog_entry_type on catalog_entry (type, name);
create index catalog_entry_routing on catalog_entry (routing, name);
create index catalog_entry_tools on catalog_entry using gin (tools) with (fastupdate = off);
create index catalog_entry_words on catalog_entry using gin (words) with (fastupdate = off);

-- Words that occur anywhere, for completing and correcting what people type. Words are only ever added, by a background job
-- that takes the names in catalog_unspelled, so that publications never wait for one another.
create table catalog_word (
  word text collate "C" primary key,
  keys text[] not null
);
create index catalog_word_keys on catalog_word using gin (keys) with (fastupdate = off);
create table catalog_unspelled (
  name text collate "C" primary key
);
insert into catalog_unspelled (name) select name from catalog_entry;

create function catalog_refresh(changed text) returns void language plpgsql as $$
begin
  insert into catalog_entry (name, org, visibility, type, routing, tools, words)
  select name, org, visibility, type, routing, tools, catalog_words(name, type, routing, visibility, tools, search)
  from pml_registry where name = changed and release_name = changed
  on conflict (name) do update set
    visibility = excluded.visibility, type = excluded.type, routing = excluded.routing,
    tools = excluded.tools, words = excluded.words;
  if found then
    -- The update locks the row, so that the job takes it only after this transaction.
    insert into catalog_unspelled (name) values (changed) on conflict (name) do update set name = excluded.name;
  else
    delete from catalog_entry where name = changed;
  end if;
end $$;

create function catalog_follow() returns trigger language plpgsql as $$
begin
  perform catalog_refresh(new.name);
  return null;
end $$;

-- Most publications change the content alone, which search does not look at.
create function catalog_follow_update() returns trigger language plpgsql as $$
begin
  if old.current is null or new.retired_at is distinct from old.retired_at or new.visibility <> old.visibility
    or exists (
      select from mcp_release before, mcp_release after
      where before.name = new.name and before.integrity = old.current
        and after.name = new.name and after.integrity = new.current
        and (before.type, before.routing, before.tools, before.search)
          is distinct from (after.type, after.routing, after.tools, after.search))
  then
    perform catalog_refresh(new.name);
  end if;
  return null;
end $$;

create trigger catalog_follow_insert after insert on mcp_name
  for each row when (new.current is not null) execute function catalog_follow();
create trigger catalog_follow_update after update on mcp_name
  for each row when (new.current is not null) execute function catalog_follow_update();
create trigger catalog_follow_release after update on mcp_release for each row
  when ((old.type, old.routing, old.tools, old.search) is distinct from (new.type, new.routing, new.tools, new.search))
  execute function catalog_follow();

-- How many entries the planner expects a search to match; it knows the common words, and its answer costs no scan.
create function catalog_estimate(wanted tsquery) returns double precision language plpgsql volatile as $$
declare plan json;
begin
  execute format('explain (format json) select from catalog_entry where words @@ %L::tsquery', wanted::text) into plan;
  return (plan->0->'Plan'->>'Plan Rows')::double precision;
end $$;

-- A search that would match very many entries is kept to as many of the 256 shares as it takes to find enough of them.
-- The shares depend on names alone, so the same search finds the same entries each time.
create function catalog_narrow(wanted tsquery, expected double precision) returns tsquery language sql immutable as $$
  select case when expected <= 20000 then wanted else
    wanted && (select string_agg(format('''#%s''', lpad(to_hex(share), 2, '0')), ' | ')::tsquery
      from generate_series(0, ceil(256 * 1200 / expected)::int - 1) share)
  end
$$;

-- What a start looks up must not be found by walking all names.
create index mcp_name_source on mcp_name (source);

-- The routing rules that all published modules were last brought in line with.
create table applied_routing (
  one    boolean primary key default true check (one),
  digest text not null
);
