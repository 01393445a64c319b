import { z } from "zod";
import { aliasName, modelAlias, modelRef, modelUsers, task } from "../entities.ts";
import { limits } from "../limits.ts";

const behind = z.object({
  task,
  models: z
    .array(modelRef)
    .min(1, "Choose at least one model.")
    .max(limits.modelsPerAlias, `Use at most ${limits.modelsPerAlias} models.`),
});
const shown = modelAlias.omit({ models: true }).extend({
  models: z.array(
    modelRef.extend({
      name: z.string(),
      connectionName: z.string(),
      /** Why the model would be skipped now, in a sentence. */
      whyNot: z.string().nullable(),
    }),
  ),
  /**
   * The alias's access rule; null if the rule for all aliases or the instance's default applies.
   */
  users: modelUsers.nullable(),
});
const param = z.object({ alias: z.string().min(1).max(400) });

export const aliasSchemas = {
  listAliases: { response: z.object({ aliases: z.array(shown) }) },
  createAlias: {
    body: z.strictObject({ name: aliasName, ...behind.shape }),
    response: z.object({ alias: modelAlias }),
  },
  updateAlias: {
    params: param,
    body: z.strictObject(behind.shape),
    response: z.object({ alias: modelAlias }),
  },
  removeAlias: { params: param, response: z.object({}) },
};
