import type { ConversationRow } from "../../database/schema.ts";
import type { Tx } from "../../database/store.ts";
import type { Unit } from "../../runs/unit.ts";

type Sharing = Pick<ConversationRow, "id" | "visibility">;

/** The runs that the messages of a conversation show: those that answered, their tools, and what was made of them. */
const runsShownIn = (tx: Tx, conversationId: string) =>
  tx
    .selectFrom("message")
    // A copy shows the run of the message that it was copied from, and has readings of its own.
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

/** What was deleted from it is not shared with it. */
const runsToShare = (tx: Tx, { id }: Sharing) =>
  runsShownIn(tx, id)
    .where("run.visibility", "!=", "project")
    .where("message.trashed_at", "is", null);

/** Of a shared conversation what was deleted from it, else all that it has shown; without what another shared conversation shows. */
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
 * Makes the runs of a conversation, with what they made, as visible as it is, in the trash too; those of messages that were deleted
 * from it are their author's alone. One by one in the order of their ids, as everything that takes several takes them. What moved to
 * another project is taken back there, too, but it is not shown to that project by sharing a conversation of this one.
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
    // For everyone: the others' lists gain it or lose it, with what it made, and what it took is found as used.
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
        // It may be moving while this waits for its row.
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

/** The same for a conversation from which messages were deleted, or to which they came back. */
export async function shareRunsAgain(unit: Unit, conversationId: string): Promise<void> {
  const conversation = await unit.tx
    .selectFrom("conversation")
    .select(["id", "visibility"])
    .where("id", "=", conversationId)
    .executeTakeFirst();
  if (conversation) await shareRuns(unit, conversation);
}
