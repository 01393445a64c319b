-- findUnpricedRuns
select *
  from "run"
  where "state" = 'succeeded' and finished_at is not null and (cost_micros is null or cost_basis = 'assumed') and "cost_micros" is null and "imported" is null and "price_snapshot" is not null and "usage" is not null
  order by "id";
