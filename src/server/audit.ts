import type { AuditAction } from "#contract/filters/audit-actions.ts";
import type { Tx } from "#store/database/store.ts";
import { recordAudit } from "#store/people/people.ts";
import type { ServerDeps } from "./deps.ts";

type Deps = Pick<ServerDeps, "ids" | "clock">;
type Detail = Record<string, unknown>;

/** Records an action in the audit log, in the transaction that performs it. */
export const createAudit =
  (deps: Deps) =>
  (
    tx: Tx,
    actorId: string,
    action: AuditAction,
    target: { kind: string; id: string },
    ip: string | null,
    detail: Detail = {},
  ): Promise<void> =>
    recordAudit(tx, {
      id: deps.ids(),
      actorId,
      action,
      targetKind: target.kind,
      targetId: target.id,
      ip,
      detail,
      at: deps.clock.now(),
    });

/** Like `createAudit`, for actions whose targets are all of one kind. */
export function createAuditOf(deps: Deps, kind: string) {
  const audit = createAudit(deps);
  return (
    tx: Tx,
    actorId: string,
    action: AuditAction,
    id: string,
    ip: string | null,
    detail?: Detail,
  ) => audit(tx, actorId, action, { kind, id }, ip, detail);
}

/** Like `createAuditOf`, in a transaction of its own after an action that has none. */
export function createLateAudit(deps: Deps & Pick<ServerDeps, "commit">, kind: string) {
  const audit = createAuditOf(deps, kind);
  return (actorId: string, action: AuditAction, id: string, ip: string, detail?: Detail) =>
    deps.commit(({ tx }) => audit(tx, actorId, action, id, ip, detail));
}
