import type { Run } from "#contract/entities.ts";
import { isAdmin, type ShellProject, type ShellUser } from "../../data/shell-data.ts";

/** A queued run that nobody sends until a person says so. */
export const isWaiting = (run: Pick<Run, "state" | "waitingFor">): boolean =>
  run.state === "queued" && run.waitingFor !== null;

/** Whose word it is, as domain/policy.ts says: the server decides, and who may not is not shown the button. */
export function mayApprove(
  run: Pick<Run, "waitingFor" | "userId">,
  project: Pick<ShellProject, "role">,
  user: ShellUser,
): boolean {
  if (run.waitingFor === "admin") return isAdmin(user);
  if (run.waitingFor === "asker") return run.userId === user.id;
  return run.waitingFor === "manager" ? project.role === "manager" : project.role !== "viewer";
}
