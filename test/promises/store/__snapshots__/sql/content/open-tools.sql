-- listOpenToolMessages
select "id"
  from "message"
  where "role" = 'tool' and "state" = 'streaming' and "id" > ?
  order by "id"
  limit ?;

-- listOpenToolMessagesOf, on SQLite
select "id"
  from "message"
  where "role" = 'tool' and "state" = 'streaming' and ("id" in (select value
  from json_each(?)) or "parent_id" in (select value
  from json_each(?)))
  order by "id";

-- listOpenToolMessagesOf, on PostgreSQL
select "id"
  from "message"
  where "role" = 'tool' and "state" = 'streaming' and ("id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))) or "parent_id" = any (array(select jsonb_array_elements_text(cast(? as jsonb)))))
  order by "id";
