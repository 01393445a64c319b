-- countVotes
select count(*) as "n"
  from "vote"
  where "comparison_id" = ? and "best" is not null;

-- getComparison
select *
  from "comparison"
  where "id" = ?;

-- getVote
select *
  from "vote"
  where "comparison_id" = ? and "user_id" = ?;

-- hasVotes
select "id"
  from "vote"
  where "comparison_id" = ?
  limit ?;

-- insertComparison
insert into "comparison" ("id", "project_id", "user_id", "visibility", "task", "title", "blind", "created_at", "trashed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "comparison_entry" ("comparison_id", "position", "run_id", "output_index", "message_id")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "comparison_entry" ("comparison_id", "position", "run_id", "output_index", "message_id")
  values (?, ?, ?, ?, ?);

-- listComparisons
select *
  from "comparison"
  where "project_id" = ? and "trashed_at" is not null and ("visibility" = ? or "user_id" = ?)
  order by "id" desc
  limit ?;

-- listEntries, on SQLite
select *
  from "comparison_entry"
  where "comparison_id" in (select value
  from json_each(?))
  order by "comparison_id", "position";

-- listEntries, on PostgreSQL
select *
  from "comparison_entry"
  where "comparison_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "comparison_id", "position";

-- listVotedIds, on SQLite
select "comparison_id"
  from "vote"
  where "comparison_id" in (select value
  from json_each(?)) and "user_id" = ? and "best" is not null;

-- listVotedIds, on PostgreSQL
select "comparison_id"
  from "vote"
  where "comparison_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "user_id" = ? and "best" is not null;

-- lockComparison, on SQLite
select *
  from "comparison"
  where "id" = ?;

-- lockComparison, on PostgreSQL
select *
  from "comparison"
  where "id" = ?
  for no key update;

-- purgeComparisons, on SQLite
select "id"
  from "comparison"
  where "trashed_at" < ?
  order by "trashed_at"
  limit ?;
delete
  from "vote"
  where "comparison_id" in (select value
  from json_each(?));
delete
  from "comparison_entry"
  where "comparison_id" in (select value
  from json_each(?));
delete
  from "comparison"
  where "id" in (select value
  from json_each(?));

-- purgeComparisons, on PostgreSQL
select "id"
  from "comparison"
  where "trashed_at" < ?
  order by "trashed_at"
  limit ?
  for no key update;
delete
  from "vote"
  where "comparison_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "comparison_entry"
  where "comparison_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));
delete
  from "comparison"
  where "id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))));

-- putVote
insert into "vote" ("id", "comparison_id", "user_id", "shown_order", "best", "revealed_before", "revealed_at", "at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("comparison_id", "user_id") do update
  set "best" = ?, "revealed_before" = ?, "revealed_at" = ?, "at" = ?;
insert into "vote" ("id", "comparison_id", "user_id", "shown_order", "best", "revealed_before", "revealed_at", "at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("comparison_id", "user_id") do update
  set "at" = ?;

-- updateComparison
update "comparison"
  set "title" = ?, "visibility" = ?, "task" = ?, "trashed_at" = ?
  where "id" = ?;
insert into "comparison_entry" ("comparison_id", "position", "run_id", "output_index", "message_id")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
