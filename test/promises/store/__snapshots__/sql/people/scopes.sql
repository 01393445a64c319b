-- findScope
select "project_id", "created_by", "visibility"
  from "asset"
  where "id" = ? and "deleted_at" is null;
select "role"
  from "project_member"
  where "project_id" = ? and "user_id" = ?;
select "project_id"
  from "webhook_endpoint"
  where "id" = ?;
