-- bookedOf
select "kind", "micros", "note"
  from "ledger_entry"
  where "run_id" = ? and "kind" in (?, ?, ?);

-- insertLedgerEntry
insert into "ledger_entry" ("id", "run_id", "project_id", "user_id", "api_key_id", "connection_id", "model_id", "kind", "settlement", "micros", "admitted_at", "note", "actor_id", "at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
