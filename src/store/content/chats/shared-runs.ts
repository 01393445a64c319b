import type { ConversationRow } from "../../database/schema.ts";
import type { Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";

type Sharing = Pick<ConversationRow, "id" | "visibility">;

/**
 * Selects the runs shown by a conversation's messages: their answers, tools, and results made from
 * them.
 */
const runsShownIn = (tx: Tx, conversationId: string) =>
  tx
    .selectFrom("message")
    // A copy shows the run of its original message, and has its own read-alouds.
    .innerJoin("run", (join) =>
      join.on((e) =>
        e.or([
          e("run.message_id", "=", e.ref("message.id")),
          e("run.message_id", "=", e.ref("message.copy_of")),
        ]),
      ),
    )
    .select(["run.id", "run.project_id as projectId"])
    .where("message.conversation_id", "=", conversationId)
    .orderBy("run.id");

/** Deleted messages aren't shared with their conversation. */
const runsToShare = (tx: Tx, { id }: Sharing) =>
  runsShownIn(tx, id)
    .where("run.visibility", "!=", "project")
    .where("message.trashed_at", "is", null);

/**
 * Selects the runs to make private: in a shared conversation those of deleted messages, otherwise
 * all of its runs. Runs that another shared conversation shows are left out.
 */
function runsToTakeBack(tx: Tx, { id, visibility }: Sharing) {
  let runs = runsShownIn(tx, id).where("run.visibility", "!=", "author");
  if (visibility === "project") runs = runs.where("message.trashed_at", "is not", null);
  for (const column of ["id", "copy_of"] as const)
    runs = runs.where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("message as other")
            .innerJoin("conversation as elsewhere", "elsewhere.id", "other.conversation_id")
            .select("other.id")
            .whereRef(`other.${column}`, "=", "run.message_id")
            .where("other.trashed_at", "is", null)
            .where("elsewhere.id", "!=", id)
            .where("elsewhere.visibility", "=", "project")
            .where("elsewhere.trashed_at", "is", null),
        ),
      ),
    );
  return runs;
}

/**
 * Makes a conversation's runs and their results, trashed ones included, as visible as the
 * conversation; those of deleted messages become private to their author. Runs are updated one by
 * one in id order, the lock order of every unit that locks several rows. Results that moved to
 * another project are made private there too, but sharing this conversation doesn't share them
 * there.
 */
export async function shareRuns(unit: Unit, conversation: Sharing): Promise<void> {
  const { tx } = unit;
  const shared =
    conversation.visibility === "project" ? await runsToShare(tx, conversation).execute() : [];
  const takenBack = await runsToTakeBack(tx, conversation).execute();
  await setVisibility(unit, [
    ...shared.map((run) => ({ ...run, visibility: "project" as const })),
    ...takenBack.map((run) => ({ ...run, visibility: "author" as const })),
  ]);
}

type Change = { id: string; projectId: string; visibility: "project" | "author" };

async function setVisibility({ tx, outbox, at }: Unit, runs: readonly Change[]): Promise<void> {
  const inOrder = runs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, projectId, visibility } of inOrder) {
    const isShared = visibility === "project";
    await tx.updateTable("run").set({ visibility }).where("id", "=", id).execute();
    // For everyone: other people's lists gain or lose the run and its results, and its inputs show
    // as used.
    outbox.changes.push({ projectId, userId: null, kind: "run", id, at });
    const assets = await tx
      .selectFrom("asset")
      .select(["id", "project_id"])
      .where("run_id", "=", id)
      .$if(isShared, (query) => query.where("made_in", "is", null))
      .orderBy("id")
      .execute();
    for (const asset of assets) {
      await tx
        .updateTable("asset")
        .set({ visibility })
        .where("id", "=", asset.id)
        // The asset may be moving while this waits for its row.
        .$if(isShared, (query) => query.where("made_in", "is", null))
        .execute();
      outbox.changes.push({
        projectId: asset.project_id,
        userId: null,
        kind: "asset",
        id: asset.id,
        at,
      });
    }
  }
}

/** Calls `shareRuns` for a conversation whose messages were deleted or restored. */
export async function updateSharedRuns(unit: Unit, conversationId: string): Promise<void> {
  const conversation = await unit.tx
    .selectFrom("conversation")
    .select(["id", "visibility"])
    .where("id", "=", conversationId)
    .executeTakeFirst();
  if (conversation) await shareRuns(unit, conversation);
}
