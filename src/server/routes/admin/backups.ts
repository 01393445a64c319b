import { isAbsolute } from "node:path";
import { Problem } from "#contract/errors.ts";
import type { backupRoutes } from "#contract/routes/admin/backups.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isTimeZone } from "#domain/money/periods.ts";
import {
  changeBackupPlan,
  readBackupStanding,
  requestBackup,
} from "#engine/recover/scheduled-backups.ts";
import { getBackupPlan } from "#store/runs/backup-plan.ts";
import { createLateAudit } from "../../audit.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

export function backupHandlers(deps: ServerDeps): Handlers<keyof typeof backupRoutes> {
  const { store } = deps;

  async function show(): Promise<RouteOutput<"getBackups">> {
    const { doneAt, ...plan } = await getBackupPlan(store.db);
    const made =
      plan.folder === null ? [] : await deps.backups?.list(plan.folder).catch(() => undefined);
    return {
      plan,
      standing: await readBackupStanding(deps, { ...plan, doneAt }),
      engine: store.engine,
      made: made ?? null,
    };
  }

  const audit = createLateAudit(deps, "instance");

  /**
   * Checks that a folder can take backups. The error doesn't describe the folder's content, which
   * may be any folder of this machine.
   * @throws Problem invalid_input when it can't
   */
  async function prepare(folder: string): Promise<void> {
    const refuse = (message: string): never => {
      throw new Problem("invalid_input", { field: "folder", message });
    };
    if (!isAbsolute(folder)) refuse(sentences.backups.folderNotAbsolute);
    await deps.backups
      ?.prepare(folder)
      .catch((error: NodeJS.ErrnoException) =>
        refuse(
          error.code === undefined
            ? sentences.backups.folderInUse
            : sentences.backups.folderUnwritable({ code: error.code }),
        ),
      );
  }

  return {
    getBackups: show,
    async setBackups({ actor, body, line }) {
      const before = await getBackupPlan(store.db);
      if (body.folder !== before.folder) {
        // The server can write to any folder it has access to, so the choice is left to the people
        // responsible for the machine.
        if (actor.role !== "owner")
          throw new Problem("forbidden", { message: sentences.backups.ownersOnly });
        if (body.folder !== null) await prepare(body.folder);
      }
      if (!isTimeZone(body.timeZone))
        throw new Problem("invalid_input", {
          field: "timeZone",
          message: sentences.account.unknownTimeZone,
        });
      await changeBackupPlan(deps, body);
      await audit(actor.userId, "set-backups", "instance", line.address, body);
      return show();
    },
    async makeBackup({ actor, line }) {
      if ((await getBackupPlan(store.db)).folder === null)
        throw new Problem("conflict", { message: sentences.backups.off });
      await requestBackup(deps);
      await audit(actor.userId, "make-backup", "instance", line.address, {});
      return show();
    },
  };
}
