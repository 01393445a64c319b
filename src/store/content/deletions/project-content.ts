import type { Tx } from "../../database/store.ts";
import { releaseBlobs } from "../blobs.ts";

/** Tables whose rows have an id and a project. */
type OfProject =
  | "asset"
  | "batch"
  | "collection"
  | "comparison"
  | "conversation"
  | "folder"
  | "run"
  | "tag"
  | "upload";

/** Selects a project's rows in a table, by id. */
export const idsOf = (tx: Tx, table: OfProject, projectId: string) =>
  tx.selectFrom(table).select("id").where("project_id", "=", projectId).orderBy("id");

export const removed = async (query: {
  executeTakeFirst(): Promise<{ numDeletedRows: bigint }>;
}): Promise<boolean> => (await query.executeTakeFirst()).numDeletedRows > 0n;

/**
 * Deletes up to `most` rows of a project's content, except its runs.
 * @returns whether more may be left
 */
export async function removeContent(tx: Tx, projectId: string, most: number): Promise<boolean> {
  const of = (table: OfProject) => idsOf(tx, table, projectId);
  const messages = tx
    .selectFrom("message")
    .select("id")
    .where("conversation_id", "in", of("conversation"))
    .limit(most);
  if (await removed(tx.deleteFrom("message").where("id", "in", messages))) return true;
  // Conversations go as soon as their messages do: each later call searches the remaining ones for
  // messages.
  const conversations = of("conversation").limit(most);
  if (await removed(tx.deleteFrom("conversation").where("id", "in", conversations))) return true;
  const compared = of("comparison").limit(most);
  for (const table of ["vote", "comparison_entry"] as const)
    if (await removed(tx.deleteFrom(table).where("comparison_id", "in", compared))) return true;
  const tagged = of("asset").limit(most);
  for (const table of ["asset_tag", "collection_item"] as const)
    if (await removed(tx.deleteFrom(table).where("asset_id", "in", tagged))) return true;
  const assets = await tx
    .deleteFrom("asset")
    .where("id", "in", of("asset").limit(most))
    .returning("blob_sha256")
    .execute();
  await releaseBlobs(
    tx,
    assets.map((asset) => asset.blob_sha256),
  );
  if (assets.length > 0) return true;
  for (const table of ["comparison", "tag", "collection", "upload", "folder", "batch"] as const)
    if (await removed(tx.deleteFrom(table).where("id", "in", of(table).limit(most)))) return true;
  return removed(tx.deleteFrom("word_list").where("project_id", "=", projectId));
}
