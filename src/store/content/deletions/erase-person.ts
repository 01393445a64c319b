import { isOneOf } from "../../database/is-one-of.ts";
import { toJson } from "../../database/json.ts";
import type { DeletedPersonRow } from "../../database/schema.ts";
import type { Reader, Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";
import { updateAssets } from "../assets.ts";
import { eraseRuns } from "./erased-runs.ts";
import { removed } from "./project-content.ts";
import { listOpen } from "./project-deletions.ts";

/** Lists deleted people whose work isn't fully erased. */
export async function listErasablePeople(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom("deleted_person")
    .select("user_id")
    .where("erased_at", "is", null)
    .orderBy("number")
    .execute();
  return rows.map((row) => row.user_id);
}

/** A run has several events, an attempt and outputs. */
const rowsOfRun = 10;

/**
 * Erases up to `most` rows of a deleted person's work: private work, and shared work if it is to go
 * too. The ledger's facts about runs stay, and so do tombstones of files that other results refer
 * to.
 * @returns whether more is left
 */
export async function erasePersonPart(unit: Unit, userId: string, most: number): Promise<boolean> {
  const { tx, at } = unit;
  const person = await tx
    .selectFrom("deleted_person")
    .selectAll()
    .where("user_id", "=", userId)
    .where("erased_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  // A run admitted at the moment of the deletion must end first.
  if (!person || (await listOpen(tx, { userId })).length > 0) return false;
  // Once the first run is erased, these are done; checking shared work again could take long.
  if (person.erased_to === "") {
    if (await hideShared(tx, person, most)) return true;
    if (await removeConversations(tx, person, most)) return true;
    if (await removeComparisons(tx, person, most)) return true;
    if (await removeFiles(unit, person, most)) return true;
  }
  if (await eraseSomeRuns(unit, person, most)) return true;
  // A result may have been downloaded before its run was erased.
  if (await removeFiles(unit, person, most)) return true;
  await tx.deleteFrom("folder").where("user_id", "=", userId).execute();
  await removeOwnMarks(tx, userId);
  await setPerson(tx, userId, { erased_at: at });
  return false;
}

const setPerson = (tx: Tx, userId: string, change: Partial<DeletedPersonRow>): Promise<unknown> =>
  tx.updateTable("deleted_person").set(change).where("user_id", "=", userId).execute();

type Visible = "author" | "project";
const readersOf = ({ shared_work }: DeletedPersonRow): Visible[] =>
  shared_work === "goes" ? ["author", "project"] : ["author"];

/**
 * Hides shared work before deleting it in parts: a conversation without its end would look
 * complete.
 */
async function hideShared(tx: Tx, person: DeletedPersonRow, most: number): Promise<boolean> {
  if (person.shared_work !== "goes") return false;
  for (const table of ["conversation", "comparison"] as const) {
    const shared = tx
      .selectFrom(table)
      .select("id")
      .where("user_id", "=", person.user_id)
      .where("visibility", "=", "project")
      .orderBy("id")
      .limit(most);
    const { numUpdatedRows } = await tx
      .updateTable(table)
      .set({ visibility: "author" })
      .where("id", "in", shared)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return true;
  }
  return false;
}

async function removeConversations(
  tx: Tx,
  person: DeletedPersonRow,
  most: number,
): Promise<boolean> {
  const conversations = tx
    .selectFrom("conversation")
    .select("id")
    .where("user_id", "=", person.user_id)
    .where("visibility", "in", readersOf(person))
    .orderBy("id");
  const messages = tx
    .selectFrom("message")
    .select("id")
    .where("conversation_id", "in", conversations)
    .limit(most);
  if (await removed(tx.deleteFrom("message").where("id", "in", messages))) return true;
  return removed(tx.deleteFrom("conversation").where("id", "in", conversations.limit(most)));
}

async function removeComparisons(tx: Tx, person: DeletedPersonRow, most: number): Promise<boolean> {
  const comparisons = tx
    .selectFrom("comparison")
    .select("id")
    .where("user_id", "=", person.user_id)
    .where("visibility", "in", readersOf(person))
    .orderBy("id")
    .limit(most);
  for (const table of ["vote", "comparison_entry"] as const)
    if (await removed(tx.deleteFrom(table).where("comparison_id", "in", comparisons))) return true;
  return removed(tx.deleteFrom("comparison").where("id", "in", comparisons));
}

async function removeFiles(unit: Unit, person: DeletedPersonRow, most: number): Promise<boolean> {
  const { tx, at } = unit;
  const files = await tx
    .selectFrom("asset")
    .select(["id", "upload_id"])
    .where("created_by", "=", person.user_id)
    .where("visibility", "in", readersOf(person))
    .where("deleted_at", "is", null)
    .limit(most)
    .execute();
  await updateAssets(
    unit,
    files.map(({ id }) => id),
    { deletedAt: at },
  );
  await tx
    .updateTable("upload")
    .set({ name: "" })
    .where(isOneOf(tx, "id", toJson(files.flatMap(({ upload_id }) => upload_id ?? []))))
    .execute();
  return files.length === most;
}

/**
 * Goes project by project, as the index of a person's runs does: `erased_to` is a project and its
 * last erased run.
 */
async function eraseSomeRuns(
  { tx, at }: Unit,
  person: DeletedPersonRow,
  most: number,
): Promise<boolean> {
  const { user_id: userId } = person;
  let [projectId = "", runId = ""] = person.erased_to.split("/");
  for (let looked = 0; looked < most; looked++) {
    const runs =
      projectId === ""
        ? []
        : await tx
            .selectFrom("run")
            .select(["id", "batch_id"])
            .where("project_id", "=", projectId)
            .where("user_id", "=", userId)
            .where("visibility", "in", readersOf(person))
            .where("finished_at", "is not", null)
            .where("id", ">", runId)
            .orderBy("id")
            .limit(Math.max(1, Math.floor(most / rowsOfRun)))
            .execute();
    if (runs.length > 0) {
      const ids = runs.map(({ id }) => id);
      await eraseRuns(tx, ids, at);
      await removeEmptyBatches(tx, [...new Set(runs.flatMap(({ batch_id }) => batch_id ?? []))]);
      await setPerson(tx, userId, { erased_to: `${projectId}/${ids.at(-1)}` });
      return true;
    }
    const next = await tx
      .selectFrom("project")
      .select("id")
      .where("id", ">", projectId)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!next) return false;
    [projectId, runId] = [next.id, ""];
  }
  await setPerson(tx, userId, { erased_to: `${projectId}/` });
  return true;
}

/** A batch's prompt is deleted with the last of its runs. */
const removeEmptyBatches = (tx: Tx, ids: readonly string[]): Promise<unknown> =>
  tx
    .deleteFrom("batch")
    .where(isOneOf(tx, "id", toJson(ids)))
    .where((e) =>
      e.not(
        e.exists(e.selectFrom("run").select("run.id").whereRef("run.batch_id", "=", "batch.id")),
      ),
    )
    .execute();

/**
 * Removes the folders and tags that the person gave to conversations that stay, and their ratings
 * of answers.
 */
async function removeOwnMarks(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("feedback").where("user_id", "=", userId).execute();
  const own = tx.selectFrom("conversation").select("id").where("user_id", "=", userId);
  await tx.deleteFrom("conversation_tag").where("conversation_id", "in", own).execute();
  await tx
    .updateTable("conversation")
    .set({ folder_id: null })
    .where("user_id", "=", userId)
    .where("folder_id", "is not", null)
    .execute();
}
