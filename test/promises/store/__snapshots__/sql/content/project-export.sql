-- listAssetsToExport
select "asset"."id", "asset"."visibility", "asset"."run_id", "asset"."output_index", "asset"."created_by", "asset"."blob_sha256", "asset"."kind", "asset"."mime", "asset"."bytes", "asset"."width", "asset"."height", "asset"."duration_ms", "asset"."title", "asset"."prompt_text", "asset"."pick", "asset"."rating", "asset"."created_at", "user"."name" as "person", "asset"."made_in"
  from "asset"
  inner join "user" on "user"."id" = "asset"."created_by"
  where "project_id" = ? and "trashed_at" is null and "deleted_at" is null and ("visibility" = ? or "created_by" = ?) and "asset"."id" > ? and "asset"."id" <= ?
  order by "asset"."id"
  limit ?;

-- listAssetsToExport, on SQLite
select "asset_tag"."asset_id", "tag"."name"
  from "asset_tag"
  inner join "tag" on "tag"."id" = "asset_tag"."tag_id"
  where "asset_tag"."asset_id" in (select value
  from json_each(?))
  order by "tag"."folded";
select "asset_id", "order_key", "collection"."id", "collection"."name", "cover_asset_id"
  from "collection_item"
  inner join "collection" on "collection"."id" = "collection_item"."collection_id"
  where "collection_item"."asset_id" in (select value
  from json_each(?)) and "collection"."trashed_at" is null
  order by "collection"."id";

-- listAssetsToExport, on PostgreSQL
select "asset_tag"."asset_id", "tag"."name"
  from "asset_tag"
  inner join "tag" on "tag"."id" = "asset_tag"."tag_id"
  where "asset_tag"."asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb))))
  order by "tag"."folded";
select "asset_id", "order_key", "collection"."id", "collection"."name", "cover_asset_id"
  from "collection_item"
  inner join "collection" on "collection"."id" = "collection_item"."collection_id"
  where "collection_item"."asset_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) and "collection"."trashed_at" is null
  order by "collection"."id";

-- listConversationsToExport
select "conversation".*, "user"."name" as "person", (select "source"."id"
  from "message" as "source"
  inner join "conversation" as "forked" on "forked"."id" = "source"."conversation_id"
  where "source"."id" = "conversation"."forked_from" and ("forked"."visibility" = ? or "forked"."user_id" = ?)) as "source_id"
  from "conversation"
  inner join "user" on "user"."id" = "conversation"."user_id"
  where "project_id" = ? and "trashed_at" is null and "temporary" = ? and ("visibility" = ? or "user_id" = ?) and "conversation"."id" > ? and "conversation"."id" <= ?
  order by "conversation"."id"
  limit ?;

-- listMessagesToExport
select "message"."id", "message"."conversation_id", "message"."parent_id", "message"."role", "message"."state", "message"."parts", "message"."run_id", "message"."copy_of", "message"."continues_id", "message"."ask_group", "message"."ask_column", "message"."picked_at", "message"."merged_from", "message"."created_at", "feedback"."value", "feedback"."reasons", "feedback"."text", "feedback"."at"
  from "message"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  left join "feedback" on "feedback"."message_id" = "message"."id" and "feedback"."user_id" = ?
  where "conversation"."project_id" = ? and "conversation"."trashed_at" is null and "conversation"."temporary" = ? and ("conversation"."visibility" = ? or "conversation"."user_id" = ?) and "message"."state" != 'streaming' and "message"."trashed_at" is null and "message"."id" > ? and "message"."id" <= ?
  order by "message"."id"
  limit ?;

-- listRunsToExport
select "run".*, "user"."name" as "person", "connection"."kind" as "kind", "model"."name" as "model_name"
  from "run"
  inner join "user" on "user"."id" = "run"."user_id"
  left join "connection" on "connection"."id" = "run"."connection_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "run"."project_id" = ? and "run"."state" in ('succeeded', 'failed', 'cancelled') and ("run"."visibility" = ? or "run"."user_id" = ?) and "run"."id" > ? and "run"."id" <= ?
  order by "run"."id"
  limit ?;
select "run_input".*
  from "run_input"
  inner join "asset" on "asset"."id" = "run_input"."asset_id"
  where "run_input"."run_id" in (?) and (asset.project_id || '') = ? and ("asset"."visibility" = ? or "asset"."created_by" = ?);
select "run_id", "number", "state", "http_status", "sent_at", "ended_at"
  from "attempt"
  where "run_id" in (?)
  order by "number";
select "run_id", "kind", sum("micros") as "micros"
  from "ledger_entry"
  where "run_id" in (?)
  group by "run_id", "kind";
