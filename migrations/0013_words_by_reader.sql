-- Filling the words of a large registry goes on behind the start; the list of names to take is made here.
set local statement_timeout = 0;

-- Completing and correcting what people type must not tell of private entries, so their words are kept apart, by org.
-- Words of public entries have no org: ''.
truncate catalog_word;
alter table catalog_word add column org text collate "C" not null;
alter table catalog_word drop constraint catalog_word_pkey;
alter table catalog_word add primary key (word, org);
insert into catalog_unspelled (name) select name from catalog_entry on conflict do nothing;
