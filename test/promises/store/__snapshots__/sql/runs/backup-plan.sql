-- getBackupPlan
select "backup_folder", "backup_hour", "backup_time_zone", "backup_keep", "backup_done_at"
  from "instance"
  where "id" = ?;

-- setBackupDone
update "instance"
  set "backup_done_at" = ?
  where "id" = ?;

-- setBackupPlan
select "backup_folder", "backup_hour", "backup_time_zone", "backup_keep", "backup_done_at"
  from "instance"
  where "id" = ?;
update "instance"
  set "backup_folder" = ?, "backup_hour" = ?, "backup_time_zone" = ?, "backup_keep" = ?
  where "id" = ?;
update "instance"
  set "backup_folder" = ?, "backup_hour" = ?, "backup_time_zone" = ?, "backup_keep" = ?, "backup_done_at" = ?
  where "id" = ?;
