-- getStorageLimits
select "person_bytes", "project_bytes"
  from "instance"
  where "id" = ?;

-- listStorageUse
select "person_bytes", "project_bytes"
  from "instance"
  where "id" = ?;
select sum("bytes") as "bytes"
  from "asset"
  where "created_by" = ? and "deleted_at" is null;
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;

-- lockStorageUse
select "person_bytes", "project_bytes"
  from "instance"
  where "id" = ?;
select sum("bytes") as "bytes"
  from "asset"
  where "created_by" = ? and "deleted_at" is null;
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;

-- lockStorageUse, on PostgreSQL
select pg_advisory_xact_lock(7302, hashtext(?)) as "locked";

-- refuseStoring
select "person_bytes", "project_bytes"
  from "instance"
  where "id" = ?;
select sum("bytes") as "bytes"
  from "asset"
  where "created_by" = ? and "deleted_at" is null;
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;

-- refuseStoring, on PostgreSQL
select pg_advisory_xact_lock(7302, hashtext(?)) as "locked";

-- sumProjectBytes
select sum("bytes") as "bytes"
  from "asset"
  where "project_id" = ? and "deleted_at" is null;

-- updateStorageLimits
update "instance"
  set "person_bytes" = ?, "project_bytes" = ?
  where "id" = ?;
