-- feedEnds
select "seq"
  from "project"
  where "id" = ?;
select "seq", "at"
  from "change"
  where "project_id" = ?
  order by "seq" asc
  limit ?;
select "seq", "at"
  from "change"
  where "project_id" = ?
  order by "seq" desc
  limit ?;

-- feedPlace
select "seq"
  from "project"
  where "id" = ?;

-- listChangedAssets
select "kind", "id", "asset_ids"
  from "change"
  where "project_id" = ? and "seq" > ? and "seq" <= ?;

-- listChanges
select *
  from "change"
  where "project_id" = ? and "seq" > ? and ("user_id" is null or "user_id" = ?)
  order by "seq"
  limit ?;

-- pruneChanges
delete
  from "change"
  where ("project_id", "seq") in (select "project_id", "seq"
  from "change"
  where "at" < ?
  order by "at"
  limit ?);

-- writeChanges
update "project"
  set "seq" = "seq" + ?
  where "id" = ?
  returning "seq";
insert into "change" ("project_id", "seq", "user_id", "kind", "id", "message_ids", "asset_ids", "at")
  values (?, ?, ?, ?, ?, ?, ?, ?);
