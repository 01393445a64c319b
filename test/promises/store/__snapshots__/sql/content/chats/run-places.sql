-- findPlaceOfRun
select "conversation"."id", "message"."id" as "messageId"
  from "message"
  inner join "conversation" on "conversation"."id" = "message"."conversation_id"
  where ("message"."id" = ? or "message"."copy_of" = ?) and "message"."trashed_at" is null and "conversation"."trashed_at" is null and ("conversation"."visibility" = ? or "conversation"."user_id" = ?)
  order by "message"."id"
  limit ?;
