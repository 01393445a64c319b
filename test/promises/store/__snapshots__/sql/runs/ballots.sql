-- readBoard
select "vote"."id" as "vote_id", "vote"."best", "entry"."position", "entry"."output_index", "entry"."message_id", "run"."id" as "run_id", "run"."connection_id", "run"."model_id", "run"."cost_micros", "run"."visibility" as "run_visibility", "run"."user_id" as "run_user", "asset"."id" as "asset_id", "asset"."trashed_at" as "asset_trashed", "asset"."deleted_at" as "asset_deleted", "asset"."visibility" as "asset_visibility", "asset"."created_by" as "asset_maker", "message"."trashed_at" as "message_trashed", "conversation"."id" as "conversation_id", "conversation"."trashed_at" as "conversation_trashed", "conversation"."visibility" as "conversation_visibility", "conversation"."user_id" as "conversation_user", "model"."name", (select count(*) as "n"
  from "output"
  where "output"."run_id" = "entry"."run_id") as "outputs"
  from "comparison"
  inner join "vote" on "vote"."comparison_id" = "comparison"."id"
  inner join "comparison_entry" as "entry" on "entry"."comparison_id" = "comparison"."id"
  left join "run" on "run"."id" = "entry"."run_id"
  left join "asset" on "asset"."run_id" = "entry"."run_id" and "asset"."output_index" = "entry"."output_index" and "asset"."made_in" is null
  left join "message" on "message"."id" = "entry"."message_id"
  left join "conversation" on "conversation"."id" = "message"."conversation_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "comparison"."project_id" in (?, ?) and "comparison"."trashed_at" is null and ("comparison"."visibility" = ? or "comparison"."user_id" = ?) and "vote"."best" is not null and "vote"."revealed_before" = ? and "comparison"."task" = ?
  order by "vote"."id", "entry"."position";
select "vote"."id" as "vote_id", "vote"."best", "entry"."position", "entry"."output_index", "entry"."message_id", "run"."id" as "run_id", "run"."connection_id", "run"."model_id", "run"."cost_micros", "run"."visibility" as "run_visibility", "run"."user_id" as "run_user", "asset"."id" as "asset_id", "asset"."trashed_at" as "asset_trashed", "asset"."deleted_at" as "asset_deleted", "asset"."visibility" as "asset_visibility", "asset"."created_by" as "asset_maker", "message"."trashed_at" as "message_trashed", "conversation"."id" as "conversation_id", "conversation"."trashed_at" as "conversation_trashed", "conversation"."visibility" as "conversation_visibility", "conversation"."user_id" as "conversation_user", "model"."name", (select count(*) as "n"
  from "output"
  where "output"."run_id" = "entry"."run_id") as "outputs"
  from "comparison"
  inner join "vote" on "vote"."comparison_id" = "comparison"."id"
  inner join "comparison_entry" as "entry" on "entry"."comparison_id" = "comparison"."id"
  left join "run" on "run"."id" = "entry"."run_id"
  left join "asset" on "asset"."run_id" = "entry"."run_id" and "asset"."output_index" = "entry"."output_index" and "asset"."made_in" is null
  left join "message" on "message"."id" = "entry"."message_id"
  left join "conversation" on "conversation"."id" = "message"."conversation_id"
  left join "model" on "model"."connection_id" = "run"."connection_id" and "model"."model_id" = "run"."model_id"
  where "comparison"."project_id" in (?) and "comparison"."trashed_at" is null and ("comparison"."visibility" = ? or "comparison"."user_id" = ?) and "vote"."best" is not null and "vote"."revealed_before" = ?
  order by "vote"."id", "entry"."position";
select "run"."connection_id", "run"."model_id", "feedback"."value", count(*) as "n"
  from "feedback"
  inner join "message" on "message"."id" = "feedback"."message_id"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  inner join "run" on "run"."id" = "message"."run_id"
  where "conversation"."project_id" in (?) and "conversation"."trashed_at" is null and "message"."trashed_at" is null and ("conversation"."visibility" = ? or "conversation"."user_id" = ?)
  group by "run"."connection_id", "run"."model_id", "feedback"."value";
