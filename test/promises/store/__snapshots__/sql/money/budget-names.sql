-- nameOfScope
select "name"
  from "api_key"
  where "id" = ?;
