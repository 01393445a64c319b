-- assetsOf
select "id", "run_id"
  from "asset"
  where "blob_sha256" = ? and "deleted_at" is null
  limit ?;

-- findEarlyDeletions
select "id", "trashed_at", "deleted_at"
  from "asset"
  where "deleted_at" > ? and "deleted_at" - "trashed_at" >= ?
  order by "id";

-- findLostResults
select "output"."run_id", "output"."index", "output"."asset_id", "output"."sha256", "run"."state"
  from "output"
  inner join "run" on "run"."id" = "output"."run_id"
  left join "asset" on "asset"."id" = "output"."asset_id"
  where "run"."finished_at" is not null and "asset"."id" is null and ("output"."state" = ? or ("run"."state" = 'succeeded' and "output"."state" in (?, ?)))
  order by "output"."run_id", "output"."index";

-- findStrayEntries
select "ledger_entry"."id", "ledger_entry"."run_id", "ledger_entry"."micros"
  from "ledger_entry"
  left join "run" on "run"."id" = "ledger_entry"."run_id"
  where "ledger_entry"."run_id" is not null and "run"."id" is null;

-- findWrongRuns
select "run"."id", "run"."state", "run"."held_micros", "run"."cost_micros", "run"."cost_basis", "books"."held", "books"."spent", "books"."settlements"
  from "run"
  left join (select "run_id", sum(case when kind in ('hold', 'release') then micros else 0 end) as "held", sum(case when kind in ('hold', 'release') then 0 else micros end) as "spent", count(settlement) as "settlements"
  from "ledger_entry"
  where "run_id" is not null
  group by "run_id") as "books" on "books"."run_id" = "run"."id"
  where (run.held_micros <> coalesce(books.held, 0) or run.finished_at is not null and case when run.cost_micros is null then coalesce(books.spent, 0) < 0
          else run.cost_micros <> coalesce(books.spent, 0) end or run.cost_basis = 'assumed' and coalesce(books.spent, 0) <> 0 or coalesce(books.settlements, 0) > case when run.finished_at is null then 0 else 1 end)
  order by "run"."id";

-- hasBlob
select "sha256"
  from "blob"
  where "sha256" = ? and "state" = ?;

-- listAssetsWithoutBlob
select "asset"."id", "asset"."blob_sha256" as "sha256", "asset"."bytes", "asset"."mime", "blob"."state"
  from "asset"
  left join "blob" on "blob"."sha256" = "asset"."blob_sha256"
  where ("blob"."sha256" is null or "blob"."state" = ?) and "asset"."deleted_at" is null
  order by "asset"."id";

-- listBlobs
select "sha256", "bytes"
  from "blob"
  where "state" = ? and "sha256" > ?
  order by "sha256"
  limit ?;
