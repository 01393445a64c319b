-- leaveTitle
update "conversation"
  set "titling" = ?
  where "id" = ? and "titling" = 'due';

-- listTitlesDue
select "conversation"."id", "user"."titleModel"
  from "conversation"
  inner join "user" on "user"."id" = "conversation"."user_id"
  where "conversation"."titling" = 'due'
  order by "conversation"."id"
  limit ?;

-- markTitleDue
update "conversation"
  set "titling" = case when exists (select "id"
  from "user"
  where "id" = ? and "titleModel" is not null) then 'due' else 'done' end
  where "id" = ? and "titling" = 'open';

-- takeTitle
update "conversation"
  set "titling" = ?
  where "id" = ? and "titling" = 'due';

-- writeTitle
update "conversation"
  set "titling" = ?, "title" = ?
  where "id" = ? and "titling" = 'asked';
update "conversation"
  set "titling" = ?
  where "id" = ? and "titling" = 'asked';

-- writeTitle, on SQLite
select *
  from "conversation"
  where "id" = ?;

-- writeTitle, on PostgreSQL
select *
  from "conversation"
  where "id" = ?
  for no key update;
