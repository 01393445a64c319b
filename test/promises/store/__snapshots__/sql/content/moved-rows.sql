-- moveAssets
select "person_bytes", "project_bytes"
  from "instance"
  where "id" = ?;
select sum("bytes") as "bytes"
  from "asset"
  where "created_by" = ? and "deleted_at" is null;
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;

-- moveAssets, on SQLite
select "project_id", "role"
  from "project_member"
  where "user_id" = ? and "project_id" in (?, ?)
  order by "project_id";

-- moveAssets, on PostgreSQL
select pg_advisory_xact_lock(7302, hashtext(?)) as "locked";
select "project_id", "role"
  from "project_member"
  where "user_id" = ? and "project_id" in (?, ?)
  order by "project_id"
  for no key update;
