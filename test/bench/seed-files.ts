import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { shardedPath } from "#blobs/blob-name.ts";
import { thumbVariant, thumbWidths } from "#engine/ingest/media/variants.ts";
import type { Store } from "#store/database/store.ts";

/** Small, so that the work per file is measured, not its bytes. */
const fileBytes = 2_000;
const variants = thumbWidths.map(thumbVariant);

/**
 * Gives each picture of `seedHistory` a file with thumbnails. Not fsynced, because none has to
 * outlive the bench.
 */
export async function seedFiles(store: Store, dataFolder: string, count: number): Promise<void> {
  const folder = join(dataFolder, "blobs");
  await store.write(async (tx) => {
    for (let i = 0; i < count; i++) {
      const bytes = Buffer.alloc(fileBytes, `picture number ${i} `);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      write(join(folder, shardedPath(sha256)), bytes);
      for (const variant of variants)
        write(join(folder, "variants", shardedPath(sha256), variant), bytes.subarray(i % 1_000));
      const seeded = sql`printf('%064x', ${sql.lit(i)})`;
      await sql`update blob set sha256 = ${sha256}, bytes = ${fileBytes} where sha256 = ${seeded}`.execute(
        tx,
      );
      await sql`update asset set blob_sha256 = ${sha256}, bytes = ${fileBytes}, variants = ${JSON.stringify(variants)}
        where blob_sha256 = ${seeded}`.execute(tx);
    }
  });
}

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
