import { sql } from "kysely";
import type { Model, OwnFacts } from "#contract/entities.ts";
import { factsText } from "#domain/models/model-facts.ts";
import { modelFamilyOf } from "#domain/models/model-family.ts";
import { fromJson, fromJsonOrNull, toJsonOrNull } from "../database/json.ts";
import type { Reader, Tx } from "../database/store.ts";

type PublishedFacts = Pick<
  Model,
  "inputModalities" | "outputModalities" | "capabilities" | "limits"
>;

/** Overlays a person's facts on those of the service or the snapshot. */
export function withOwnFacts<Facts extends PublishedFacts>(
  stated: Facts,
  own: OwnFacts | null,
): Facts {
  if (own === null) return stated;
  const { contextTokens, outputTokens, inputModalities, outputModalities, capabilities } = own;
  return {
    ...stated,
    ...(inputModalities && { inputModalities }),
    ...(outputModalities && { outputModalities }),
    capabilities: { ...stated.capabilities, ...capabilities },
    limits: {
      ...stated.limits,
      ...(contextTokens && { contextTokens }),
      ...(outputTokens && { outputTokens }),
    },
  };
}

/** Returns the values that the catalog filters by. The family is derived from the model's name. */
export function filterColumns(
  facts: PublishedFacts & { tasks: readonly string[]; modelId: string; name: string },
): {
  facts: string;
  context_tokens: number | null;
} {
  const { contextTokens } = facts.limits;
  return {
    facts: factsText({ ...facts, family: modelFamilyOf(facts) }),
    context_tokens: Number.isSafeInteger(contextTokens) ? (contextTokens as number) : null,
  };
}

/** Returns the facts that people entered for a connection's models, by model id. */
export async function ownFactsOf(db: Reader, connectionId: string): Promise<Map<string, OwnFacts>> {
  const rows = await db
    .selectFrom("model_override")
    .select(["model_id", "facts"])
    .where("connection_id", "=", connectionId)
    .where("facts", "is not", null)
    .execute();
  return new Map(rows.map((row) => [row.model_id, fromJson<OwnFacts>(row.facts ?? "{}")]));
}

export type FactsChange = {
  connectionId: string;
  modelId: string;
  /** Null restores the service's facts. */
  facts: OwnFacts | null;
  setBy: string;
  at: number;
};

/**
 * Replaces the facts that people entered for a model.
 * @returns false when the model doesn't exist
 */
export async function putModelFacts(
  tx: Tx,
  { connectionId, modelId, facts, setBy, at }: FactsChange,
): Promise<boolean> {
  const row = await tx
    .selectFrom("model")
    .select(["name", "tasks", "input_modalities", "output_modalities", "capabilities", "limits"])
    .where("connection_id", "=", connectionId)
    .where("model_id", "=", modelId)
    .executeTakeFirst();
  if (!row) return false;
  const set = { facts: toJsonOrNull(facts), facts_by: facts && setBy, facts_at: facts && at };
  const key = { connection_id: connectionId, model_id: modelId };
  const nothing = {
    prices: null,
    price_kind: null,
    usual_nanos: null,
    ceiling_micros: null,
    set_by: setBy,
    set_at: at,
  };
  await tx
    .insertInto("model_override")
    .values({ ...key, ...nothing, ...set })
    .onConflict((conflict) => conflict.columns(["connection_id", "model_id"]).doUpdateSet(set))
    .execute();
  const stated = {
    modelId,
    name: row.name,
    tasks: fromJson<string[]>(row.tasks),
    inputModalities: fromJson<Model["inputModalities"]>(row.input_modalities),
    outputModalities: fromJson<Model["outputModalities"]>(row.output_modalities),
    capabilities: fromJson<Model["capabilities"]>(row.capabilities),
    limits: fromJson<Model["limits"]>(row.limits),
  };
  await tx
    .updateTable("model")
    .set(filterColumns(withOwnFacts(stated, facts)))
    .where("connection_id", "=", connectionId)
    .where("model_id", "=", modelId)
    .execute();
  return true;
}

/** The name of the person who entered the facts; null once they are deleted. */
export const factsByName = sql<
  string | null
>`(select "user".name from "user" where "user".id = model_override.facts_by)`;

export const toOwnFacts = (row: {
  own_facts: string | null;
  facts_by_name: string | null;
  facts_at: number | null;
}): Model["ownFacts"] => {
  const facts = fromJsonOrNull<OwnFacts>(row.own_facts);
  return facts && { facts, by: row.facts_by_name, at: row.facts_at ?? 0 };
};
