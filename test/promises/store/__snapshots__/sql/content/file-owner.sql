-- confirmNonce
update "instance"
  set "files_nonce" = ?, "files_next" = ?
  where "id" = ? and "files_next" = ?;

-- countKnownFiles
select count(*) as "count"
  from "blob"
  where "sha256" in (?, ?);
select count(*) as "count"
  from "blob"
  where "sha256" in (?);

-- getFileOwner
select "files_nonce", "files_next", "files_prefixes"
  from "instance"
  where "id" = ?;

-- proposeNonce
update "instance"
  set "files_next" = ?
  where "id" = ? and "files_next" is null;

-- setFilePrefixes
update "instance"
  set "files_prefixes" = ?
  where "id" = ?;

-- variantsOf
select "variants"
  from "asset"
  where "blob_sha256" = ?;
