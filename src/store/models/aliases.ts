import { aliasConnectionId, aliasKind } from "#contract/aliases.ts";
import type { ModelAlias, ModelDetail, ModelRef } from "#contract/entities.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { ModelAliasRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { getModel, markModelGone, upsertModels } from "./models.ts";

const toAlias = (row: ModelAliasRow): ModelAlias => ({
  name: row.name,
  task: row.task as Task,
  models: fromJson<ModelRef[]>(row.models),
  updatedAt: row.updated_at,
});

export async function listAliases(db: Reader): Promise<ModelAlias[]> {
  return (await db.selectFrom("model_alias").selectAll().orderBy("name").execute()).map(toAlias);
}

export async function getAlias(db: Reader, name: string): Promise<ModelAlias | undefined> {
  const row = await db
    .selectFrom("model_alias")
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toAlias(row);
}

/**
 * Creates an alias, or replaces its models. The caller's unit has checked that the models exist.
 */
export async function putAlias(
  tx: Tx,
  alias: { name: string; task: Task; models: readonly ModelRef[]; madeBy: string; at: number },
): Promise<void> {
  await ensureConnection(tx, alias.at);
  const set = { task: alias.task, models: toJson(alias.models), updated_at: alias.at };
  await tx
    .insertInto("model_alias")
    .values({ name: alias.name, made_by: alias.madeBy, created_at: alias.at, ...set })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(set))
    .execute();
  await writeModel(tx, { ...alias, models: [...alias.models], updatedAt: alias.at }, alias.at);
}

/** @returns false when no alias has this name */
export async function removeAlias(tx: Tx, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("model_alias")
    .where("name", "=", name)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await markModelGone(tx, aliasConnectionId, name);
  // A later alias of this name is a different one, so the access rules go too.
  await tx
    .deleteFrom("model_access")
    .where("connection_id", "=", aliasConnectionId)
    .where("model_id", "=", name)
    .execute();
  return true;
}

/** Updates the display of an alias after its first model was refreshed. */
export async function refreshAliases(tx: Tx, at: number): Promise<void> {
  for (const alias of await listAliases(tx)) await writeModel(tx, alias, at);
}

async function ensureConnection(tx: Tx, at: number): Promise<void> {
  await tx
    .insertInto("connection")
    .values({
      id: aliasConnectionId,
      // Slugs derived from a name never start with "~".
      slug: "~alias",
      kind: aliasKind,
      name: "Aliases",
      scope: "instance",
      scope_id: null,
      base_urls: "{}",
      options: "{}",
      secret: null,
      status: "ok",
      status_detail: null,
      text_places: null,
      media_places: null,
      said_places: null,
      text_turn: null,
      media_turn: null,
      checked_at: null,
      listed_at: null,
      models_version: 0,
      created_by: null,
      created_at: at,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Writes the alias as a model, with the form and the price of the first model behind it. */
async function writeModel(tx: Tx, alias: ModelAlias, at: number): Promise<void> {
  const behind = await Promise.all(
    alias.models.map((ref) => getModel(tx, ref.connectionId, ref.modelId)),
  );
  const first = formOf(behind, alias.task);
  if (!first) return;
  await upsertModels(tx, [
    {
      connectionId: aliasConnectionId,
      modelId: alias.name,
      name: alias.name,
      description: describe(alias.models.length),
      tasks: [alias.task],
      inputModalities: first.inputModalities,
      outputModalities: first.outputModalities,
      inputSchema: first.inputSchema,
      schemaHash: first.schemaHash,
      // Several results at once become several runs, because a fallback model may support fewer at
      // once.
      capabilities: { ...first.capabilities, countField: undefined },
      limits: first.limits,
      prices: first.prices,
      status: "active",
      fetchedAt: at,
    },
  ]);
}

/**
 * Returns the first model that supports the alias's task: the tasks of the others may have been
 * changed since.
 */
export const formOf = <Behind extends Pick<ModelDetail, "tasks">>(
  behind: readonly (Behind | undefined)[],
  task: Task,
): Behind | undefined => behind.find((model) => model?.tasks.includes(task));

/**
 * Doesn't name the models: everyone who may use the alias reads this, but some may not see the
 * models behind it.
 */
const describe = (count: number): string =>
  count === 1 ? sentences.aliases.oneModel : sentences.aliases.models({ count });
