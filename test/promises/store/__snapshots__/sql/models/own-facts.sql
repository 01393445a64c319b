-- ownFactsOf
select "model_id", "facts"
  from "model_override"
  where "connection_id" = ? and "facts" is not null;

-- putModelFacts
select "name", "tasks", "input_modalities", "output_modalities", "capabilities", "limits"
  from "model"
  where "connection_id" = ? and "model_id" = ?;
insert into "model_override" ("connection_id", "model_id", "prices", "price_kind", "usual_nanos", "ceiling_micros", "set_by", "set_at", "facts", "facts_by", "facts_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("connection_id", "model_id") do update
  set "facts" = ?, "facts_by" = ?, "facts_at" = ?;
update "model"
  set "facts" = ?, "context_tokens" = ?
  where "connection_id" = ? and "model_id" = ?;
