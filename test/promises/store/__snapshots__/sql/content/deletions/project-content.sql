-- removeContent
delete
  from "message"
  where "id" in (select "id"
  from "message"
  where "conversation_id" in (select "id"
  from "conversation"
  where "project_id" = ?
  order by "id")
  limit ?);
delete
  from "conversation"
  where "id" in (select "id"
  from "conversation"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "vote"
  where "comparison_id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "comparison_entry"
  where "comparison_id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "asset_tag"
  where "asset_id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "collection_item"
  where "asset_id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "asset"
  where "id" in (select "id"
  from "asset"
  where "project_id" = ?
  order by "id"
  limit ?)
  returning "blob_sha256";
delete
  from "comparison"
  where "id" in (select "id"
  from "comparison"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "tag"
  where "id" in (select "id"
  from "tag"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "collection"
  where "id" in (select "id"
  from "collection"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "upload"
  where "id" in (select "id"
  from "upload"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "folder"
  where "id" in (select "id"
  from "folder"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "batch"
  where "id" in (select "id"
  from "batch"
  where "project_id" = ?
  order by "id"
  limit ?);
delete
  from "word_list"
  where "project_id" = ?;
