-- databaseBytes, on SQLite
select page_count * page_size as bytes
  from pragma_page_count(), pragma_page_size();

-- databaseBytes, on PostgreSQL
select pg_database_size(current_database()) as bytes;

-- readStorageUse
select count(*) as "files", sum("bytes") as "bytes"
  from "blob"
  where "state" = ?;
select "project"."id", "project"."name", count(*) as "files", sum("asset"."bytes") as "bytes"
  from "asset"
  inner join "project" on "project"."id" = "asset"."project_id"
  where "deleted_at" is null
  group by "project"."id", "project"."name"
  order by "bytes" desc, "project"."id";
select "asset"."created_by" as "id", "user"."name", count(*) as "files", sum("asset"."bytes") as "bytes"
  from "asset"
  left join "user" on "user"."id" = "asset"."created_by"
  where "deleted_at" is null
  group by "asset"."created_by", "user"."name"
  order by "bytes" desc, "asset"."created_by";
select "kind", count(*) as "files", sum("bytes") as "bytes"
  from "asset"
  where "deleted_at" is null
  group by "kind"
  order by "bytes" desc, "kind";
select case when created_at >= ? then 7 when created_at >= ? then 30 when created_at >= ? then 90 when created_at >= ? then 365 else 0 end as "days", count(*) as "files", sum("bytes") as "bytes"
  from "asset"
  where "deleted_at" is null
  group by "days";
select count(*) as "files", sum("bytes") as "bytes"
  from (select distinct "blob_sha256", "bytes"
  from "asset"
  where "deleted_at" is null and "trashed_at" is not null) as "trashed"
  where not exists (select "other"."id"
  from "asset" as "other"
  where "other"."blob_sha256" = "trashed"."blob_sha256" and "other"."trashed_at" is null and "other"."deleted_at" is null);
select count(*) as "files", sum("bytes") as "bytes"
  from "blob"
  where "needed_at" is null and "state" = ? and not exists (select "asset"."id"
  from "asset"
  where "asset"."blob_sha256" = "blob"."sha256" and "asset"."deleted_at" is null);
