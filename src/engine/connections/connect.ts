import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ConnectionKind } from "#providers/adapter.ts";
import type { Tx } from "#store/database/store.ts";
import {
  countConnections,
  findConnectionByKind,
  getConnection,
  insertConnection,
  recordCheck,
  removeConnection,
  type SealedConnection,
  slugExists,
  updateConnection,
} from "#store/models/connections.ts";
import { lockInstance } from "#store/people/people.ts";
import type { EngineDeps } from "../deps.ts";
import { checkConnection, refreshModels } from "./catalogue.ts";
import { closeCircuits } from "./circuit.ts";
import {
  type ConnectionValues,
  fieldsOf,
  requireFields,
  type SortedValues,
  secretOf,
  sortValues,
} from "./connection-values.ts";
import { kindOf, openConnection, secretPlace } from "./open-connection.ts";

/** The owner: the whole instance, or the person or project `scopeId`. */
export type ConnectionOwner =
  | { scope: "instance"; scopeId?: null }
  | { scope: "user" | "project"; scopeId: string };
export type NewConnection = ConnectionOwner & {
  kind: string;
  name: string;
  userId: string;
  values: ConnectionValues;
};

/**
 * Connects a service: sorts and seals the form's values, then checks the connection with one free
 * call and reads its models. If the check fails, nothing is saved and the person still has their
 * form.
 * @throws Problem invalid_input, or the provider's error
 */
export async function connect(
  deps: EngineDeps,
  wanted: NewConnection,
): Promise<{ connection: SealedConnection; message: string }> {
  const kind = kindOf(deps, wanted.kind);
  if (kind.builtin)
    throw new Problem("invalid_input", {
      field: "kind",
      message: sentences.connections.builtinThere,
    });
  const sorted = sortValues(kind, wanted.values);
  requireFields(kind, sorted);
  const connection = await deps.commit(({ tx }) =>
    insert(deps, tx, kind, {
      ...wanted,
      ...sorted,
      secret: secretOf(kind, sorted, null) ?? null,
      createdBy: wanted.userId,
    }),
  );
  try {
    return await checkConnection(deps, connection.id);
  } catch (error) {
    // Signing in needs a saved connection, not a form, so the connection stays.
    if (error instanceof Problem && error.detail.needsSignIn === true) {
      const kept = (await getConnection(deps.store.db, connection.id)) ?? connection;
      return { connection: kept, message: error.message };
    }
    await deps.commit(({ tx }) => removeConnection(tx, connection.id));
    throw error;
  }
}

/**
 * Inserts the row under a unique slug. Inserts run one at a time, because two could pick the same
 * free slug.
 * @throws Problem conflict if the owner has reached the limit
 */
async function insert(
  deps: EngineDeps,
  tx: Tx,
  kind: ConnectionKind,
  wanted: Omit<SortedValues, "secrets"> &
    ConnectionOwner & { secret: string | null; name: string; createdBy: string | null },
): Promise<SealedConnection> {
  await lockInstance(tx);
  const id = deps.ids();
  const scopeId = wanted.scopeId ?? null;
  const most = limits.connectionsPerOwner;
  if (!kind.builtin && (await countConnections(tx, { scope: wanted.scope, scopeId })) >= most)
    throw new Problem("conflict", { message: sentences.connections.tooMany({ most }) });
  const place = secretPlace({ id, scope: wanted.scope, scopeId });
  const base =
    wanted.name
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || kind.kind;
  let slug = base;
  for (let n = 2; await slugExists(tx, slug); n++) slug = `${base}-${n}`;
  return insertConnection(tx, {
    id,
    slug,
    kind: kind.kind,
    name: wanted.name,
    scope: wanted.scope,
    scopeId,
    baseUrls: wanted.baseUrls,
    options: wanted.options,
    sealedSecret: wanted.secret === null ? null : deps.secrets.seal(wanted.secret, place),
    places: wanted.places,
    createdBy: wanted.createdBy,
    at: deps.clock.now(),
  });
}

/**
 * Changes a connection in place. A changed address clears the stored key unless a new one comes
 * with it, so that a key is only sent to the address it was entered for.
 */
export async function changeConnection(
  deps: EngineDeps,
  id: string,
  change: { name?: string; values?: ConnectionValues; disabled?: boolean },
): Promise<SealedConnection> {
  const connection = await getConnection(deps.store.db, id);
  if (!connection) throw new Problem("not_found");
  const kind = kindOf(deps, connection.kind);
  if (kind.builtin && change.values)
    throw new Problem("invalid_input", {
      field: "values",
      message: sentences.connections.builtinNoSettings,
    });
  const sorted =
    change.values &&
    sortValues(kind, change.values, {
      baseUrls: connection.baseUrls,
      options: connection.options as JsonObject,
      places: { text: connection.places.text, media: connection.places.media },
    });
  const moved =
    sorted !== undefined && JSON.stringify(sorted.baseUrls) !== JSON.stringify(connection.baseUrls);
  const stored = moved || !sorted ? null : openConnection(deps, kind, connection).secret;
  const secret = sorted && secretOf(kind, sorted, stored);
  const sealedSecret = secret
    ? deps.secrets.seal(secret, secretPlace(connection))
    : moved
      ? null
      : secret;
  const status =
    change.disabled === undefined
      ? sorted
        ? "unchecked"
        : undefined
      : change.disabled
        ? "disabled"
        : "unchecked";
  const changed = await deps.commit(async (unit) => {
    // The recorded failures belong to the previous settings.
    if (status === "unchecked") await closeCircuits(unit, id);
    return updateConnection(unit.tx, id, {
      name: change.name,
      ...(sorted && {
        baseUrls: sorted.baseUrls,
        options: sorted.options,
        places: sorted.places,
        listedAt: null,
      }),
      ...(sealedSecret !== undefined && { sealedSecret }),
      ...(status && { status, statusDetail: null }),
    });
  });
  if (!changed) throw new Problem("not_found");
  return changed;
}

/**
 * Creates the built-in connections at the first start and refreshes them at each start. The lock
 * keeps two servers from creating them twice.
 */
export async function ensureBuiltins(deps: EngineDeps): Promise<void> {
  for (const kind of deps.kinds.values()) {
    if (!kind.builtin) continue;
    const made = {
      scope: "instance" as const,
      createdBy: null,
      baseUrls: {},
      options: {},
      secret: null,
      places: { text: null, media: null },
    };
    const connection = await deps.commit(async ({ tx }) => {
      await lockInstance(tx);
      const known = await findConnectionByKind(tx, kind.kind);
      return known ?? (await insert(deps, tx, kind, { name: kind.name, ...made }));
    });
    await refreshModels(deps, connection);
    await deps.commit(async ({ tx, at }) => {
      await recordCheck(tx, connection, {
        status: "ok",
        statusDetail: null,
        checkedAt: at,
      });
    });
  }
}

/** Lists the kinds that a person can add, with the fields of their forms. */
export function listKinds(deps: Pick<EngineDeps, "kinds">) {
  return [...deps.kinds.values()]
    .filter((kind) => !kind.builtin)
    .map((kind) => ({
      kind: kind.kind,
      name: kind.name,
      summary: kind.summary,
      group: kind.group,
      free: kind.free === true,
      lacks: [...(kind.lacks ?? [])],
      local: kind.hasLocalModels === true,
      workflows: kind.hasWorkflows === true,
      signInWhen: kind.signInWhen ?? null,
      billKeyHint: kind.billKeyHint ?? null,
      tasks: [...kind.tasks],
      takesTasks: kind.takesTasks === true,
      fields: fieldsOf(kind).map((field) => ({
        ...field,
        choices: field.choices && [...field.choices],
        when: field.when && { field: field.when.field, is: [...field.when.is] },
      })),
      addresses: { ...kind.addresses },
    }));
}
