-- erasePersonPart
select "id", "state", "held_micros" as "heldMicros"
  from "run"
  where "state" in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed') and "user_id" = ?
  order by "id" desc;

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
