import { z } from "zod";
import { id, model, modelRef, modelUsers, task } from "../entities.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { backupStanding } from "./admin/backups.ts";

const settings = z.strictObject({
  /** The default rule for models of shared connections. */
  modelsFor: z.enum(["everyone", "admins"]),
  membersConnect: z.boolean(),
});
const maxBytes = z.int().min(1).nullable();
/** The most bytes that each person, and each project, may store; null for no limit. */
const storageLimits = z.strictObject({ personBytes: maxBytes, projectBytes: maxBytes });
/** `detail`: a person's email address, or the name of a project's owner. */
const named = z.object({ id, name: z.string(), detail: z.string() });
const filter = z.strictObject({
  search: searchedText.optional(),
  connectionId: id.optional(),
  task: task.optional(),
});
const users = modelUsers.nullable();

export const accessSchemas = {
  getAccess: {
    response: settings.extend({
      /**
       * `users`: the rule for all of the connection's models; null if the instance's default
       * applies.
       */
      connections: z.array(
        z.object({ id, name: z.string(), kind: z.string(), users, models: z.int() }),
      ),
    }),
  },
  getModelUsers: {
    query: z.object({
      connectionId: id,
      /** Omitted for the rule of the whole connection. */
      modelId: z.string().max(400).optional(),
    }),
    response: z.object({ people: z.array(named), projects: z.array(named) }),
  },
  getStorage: {
    response: z.object({
      /**
       * copy: another database owns the files; nothing is deleted, and new files go to a separate
       * prefix. unsure: not known yet.
       */
      files: z.enum(["owner", "copy", "unsure"]),
      /** A sentence; null while the storage works. */
      trouble: z.string().nullable(),
      limits: storageLimits,
      /** The state of scheduled backups. */
      backup: backupStanding,
    }),
  },
  updateStorageLimits: { body: storageLimits.partial(), response: storageLimits },
  updateAccess: { body: settings.partial(), response: settings },
  listModelAccess: {
    query: filter.extend({
      cursor: z.string().max(600).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({
      /** `users`: the rule for the model itself; null if its connection's rule applies. */
      models: z.array(model.extend({ users })),
      next: z.string().nullable(),
    }),
  },
  setModelAccess: {
    body: z.strictObject({
      of: z.union([
        z.strictObject({ models: z.array(modelRef).min(1).max(limits.pageSizeMost) }),
        z.strictObject({ connectionId: id }),
        z.strictObject({ found: filter }),
      ]),
      /** Null removes the rule. */
      users,
    }),
    /**
     * The number of models that the rule was set for; for a whole connection, all of its models.
     */
    response: z.object({ models: z.int() }),
  },
};
