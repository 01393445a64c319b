import { createHash } from "node:crypto";
import type { Insertable } from "kysely";
import { v7 as uuid } from "uuid";
import { searchText } from "#domain/text/search-words.ts";
import type { AssetRow } from "#store/database/schema.ts";
import type { Store } from "#store/database/store.ts";

export type Picture = {
  sha256: string;
  bytes: number;
  mime: string;
  width: number;
  height: number;
  thumbhash: string | null;
  variants: string;
};

const subjects = [
  "harbour",
  "heron",
  "workshop",
  "orchard",
  "lantern",
  "bridge",
  "glacier",
  "market",
  "violin",
  "staircase",
];
const places = ["Genoa", "Bergen", "Kyoto", "Lima", "Tbilisi", "Oaxaca", "Porto", "Leith"];
const manners = [
  "oil on canvas",
  "linocut",
  "long exposure",
  "watercolor",
  "blueprint",
  "woodblock",
  "charcoal",
];
const rowsAtOnce = 500;
const minuteMs = 60_000;

/** A file without bytes: lists and searches read only the row. */
const noPicture = (i: number): Picture => ({
  sha256: createHash("sha256").update(String(i)).digest("hex"),
  bytes: 1_000_000,
  mime: "image/webp",
  width: [1024, 832, 1216, 1536, 768][i % 5]!,
  height: [1024, 1216, 832, 1024, 1344][i % 5]!,
  thumbhash: null,
  variants: "[]",
});

/** The prompt of asset `i`: each word is in many others, its number in none. */
export const promptOf = (i: number): string =>
  `${subjects[i % subjects.length]} in ${places[(i * 7) % places.length]} at dusk, ${manners[(i * 3) % manners.length]}, number${i}`;

/**
 * Inserts generated pictures into a project, a minute apart, newest last. Uses SQL, because
 * admitting them would take hours.
 * @param pictures existing files, used in rotation; without them the rows have no file
 */
export async function seedAssets(
  store: Store,
  facts: { projectId: string; userId: string; count: number; pictures?: readonly Picture[] },
): Promise<void> {
  const { pictures } = facts;
  const startedAt = Date.now() - facts.count * minuteMs;
  for (const picture of pictures ?? [])
    await store.write((tx) =>
      tx
        .insertInto("blob")
        .values({
          sha256: picture.sha256,
          bytes: picture.bytes,
          mime: picture.mime,
          state: "stored",
          created_at: startedAt,
        })
        .execute(),
    );
  for (let from = 0; from < facts.count; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, facts.count - from) }, (_, k) => {
      const i = from + k;
      return toRow(
        i,
        startedAt + i * minuteMs,
        facts,
        pictures ? pictures[i % pictures.length]! : noPicture(i),
      );
    });
    await store.write((tx) => tx.insertInto("asset").values(rows).execute());
  }
}

function toRow(
  i: number,
  at: number,
  facts: { projectId: string; userId: string },
  picture: Picture,
): Insertable<AssetRow> {
  const prompt = promptOf(i);
  return {
    id: uuid({ msecs: at }),
    project_id: facts.projectId,
    visibility: "project",
    run_id: null,
    output_index: null,
    upload_id: null,
    created_by: facts.userId,
    blob_sha256: picture.sha256,
    kind: "image",
    mime: picture.mime,
    bytes: picture.bytes,
    width: picture.width,
    height: picture.height,
    duration_ms: null,
    thumbhash: picture.thumbhash,
    variants: picture.variants,
    phash: null,
    provenance: null,
    title: prompt,
    prompt_text: prompt,
    search: searchText(prompt, prompt, "Pattern"),
    pick: i % 10 === 0 ? "kept" : "none",
    rating: 0,
    trashed_at: null,
    deleted_at: null,
    created_at: at,
  };
}
