-- erasePersonPart
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" in (select "id"
  from "conversation"
  where "user_id" = ? and "visibility" in (?, ?)
  order by "id")
  limit ?);
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" in (select "id"
  from "conversation"
  where "user_id" = ? and "visibility" in (?)
  order by "id")
  limit ?);

-- erasePersonPart, on SQLite
select *
  from "deleted_person"
  where "user_id" = ? and "erased_at" is null;

-- erasePersonPart, on PostgreSQL
select *
  from "deleted_person"
  where "user_id" = ? and "erased_at" is null
  for no key update;

-- listErasablePeople
select "user_id"
  from "deleted_person"
  where "erased_at" is null
  order by "number";
