import type { Run } from "#contract/entities.ts";
import { isAdmin, type ShellProject, type ShellUser } from "../../data/shell-data.ts";

/** Whether a queued run waits for a person's approval. */
export const isWaiting = (run: Pick<Run, "state" | "waitingFor">): boolean =>
  run.state === "queued" && run.waitingFor !== null;

/**
 * Whether the person may approve a run, as in domain/policy.ts. The server decides; this only hides
 * the button.
 */
export function mayApprove(
  run: Pick<Run, "waitingFor" | "userId">,
  project: Pick<ShellProject, "role">,
  user: ShellUser,
): boolean {
  if (run.waitingFor === "admin") return isAdmin(user);
  if (run.waitingFor === "asker") return run.userId === user.id;
  return run.waitingFor === "manager" ? project.role === "manager" : project.role !== "viewer";
}
