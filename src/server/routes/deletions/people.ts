import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { hintDeletion } from "#engine/recover/chores.ts";
import {
  deletePerson,
  describePersonDeletion,
  type SharedWork,
} from "#store/content/deletions/person-deletions.ts";
import type { Tx } from "#store/database/store.ts";
import { countOwners, getUser } from "#store/people/people.ts";
import { createAuditOf } from "../../audit.ts";
import { notifyRightsChanged, type ServerDeps } from "../../deps.ts";
import { createDefaultProjects } from "./projects.ts";
import { settleOpen } from "./settle-open.ts";

/**
 * Deletes a person. The caller has checked the right to do so.
 * @throws Problem not_found; conflict for the last owner and while a run is open
 */
export async function removePerson(
  deps: ServerDeps,
  asked: {
    userId: string;
    by: string;
    /**
     * Null for people who delete their own account, because nothing that identifies them is kept.
     */
    ip: string | null;
    sharedWork: SharedWork;
    settles: boolean;
  },
): Promise<void> {
  const { userId, by, ip, sharedWork, settles } = asked;
  if (settles) {
    await deps.commit(({ tx }) => requireOtherOwner(tx, userId));
    await settleOpen(deps, { userId });
  }
  const memberIds = await deps.commit(async (unit) => {
    const deleted = await deletePerson(unit, { userId, by, sharedWork });
    await createDefaultProjects(unit, deps, deleted.memberIds);
    const audit = createAuditOf(deps, "person");
    await audit(unit.tx, by, "delete-person", userId, ip, { sharedWork });
    return deleted.memberIds;
  });
  for (const id of [userId, ...memberIds]) await notifyRightsChanged(deps, id);
  await hintDeletion(deps);
}

/**
 * Checked before open runs are settled, so that a refused deletion settles nothing.
 * @throws Problem conflict for the last owner
 */
async function requireOtherOwner(tx: Tx, userId: string): Promise<void> {
  const user = await getUser(tx, userId);
  if (user?.role === "owner" && user.status === "active" && (await countOwners(tx)) <= 1)
    throw new Problem("conflict", { message: sentences.account.lastOwner });
}

export const describePerson = ({ store }: Pick<ServerDeps, "store">, userId: string) =>
  describePersonDeletion(store.read, userId);
