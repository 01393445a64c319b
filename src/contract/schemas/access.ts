import { z } from "zod";
import { id, model, modelRef, modelUsers, task } from "../entities.ts";
import { limits } from "../limits.ts";
import { backupStanding } from "./admin/backups.ts";

const settings = z.strictObject({
  /** Who may use a model of a shared connection for which nothing else is said. */
  modelsFor: z.enum(["everyone", "admins"]),
  membersConnect: z.boolean(),
});
const mostBytes = z.int().min(1).nullable();
/** The most bytes that each person, and each project, may store; null is no limit. */
const storageLimits = z.strictObject({ personBytes: mostBytes, projectBytes: mostBytes });
/** `detail`: a person's email address, or the name of a project's owner. */
const named = z.object({ id, name: z.string(), detail: z.string() });
const filter = z.strictObject({
  search: z.string().max(200).optional(),
  connectionId: id.optional(),
  task: task.optional(),
});
const users = modelUsers.nullable();

export const accessSchemas = {
  getAccess: {
    response: settings.extend({
      /** `users`: what is said of all its models; null where what is said of the instance holds. */
      connections: z.array(
        z.object({ id, name: z.string(), kind: z.string(), users, models: z.int() }),
      ),
    }),
  },
  getModelUsers: {
    query: z.object({
      connectionId: id,
      /** Without it: of all models of the connection. */
      modelId: z.string().max(400).optional(),
    }),
    response: z.object({ people: z.array(named), projects: z.array(named) }),
  },
  getStorage: {
    response: z.object({
      /** copy: they belong to another database; nothing is deleted, and new files are written apart. unsure: not known yet. */
      files: z.enum(["owner", "copy", "unsure"]),
      /** A sentence; null where the storage works. */
      trouble: z.string().nullable(),
      limits: storageLimits,
      /** Of backups that are made by themselves. */
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
      /** `users`: what is said of the model itself; null where what is said of its connection holds. */
      models: z.array(
        model
          .pick({
            connectionId: true,
            modelId: true,
            name: true,
            connectionName: true,
            tasks: true,
          })
          .extend({ users }),
      ),
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
      /** Null takes back what was said. */
      users,
    }),
    /** Of how many models it was said; of a whole connection, how many it has. */
    response: z.object({ models: z.int() }),
  },
};
