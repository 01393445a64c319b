import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Adapter, ConnectionField } from "#providers/adapter.ts";
import {
  findConnectionByKind,
  getConnection,
  insertConnection,
  recordCheck,
  removeConnection,
  type SealedConnection,
  slugExists,
  updateConnection,
} from "#store/connections.ts";
import { lockInstance } from "#store/people.ts";
import type { Tx } from "#store/store.ts";
import { checkConnection, refreshModels } from "./catalogue.ts";
import { closeCircuit } from "./circuit.ts";
import type { EngineDeps } from "./deps.ts";
import { adapterOf, secretPlace } from "./open-connection.ts";

export type ConnectionValues = Record<string, string | number | boolean>;
type Sorted = { baseUrls: Record<string, string>; options: JsonObject; secret: string | null; concurrency: number };

const concurrencyOf = (adapter: Adapter): number => adapter.concurrency ?? limits.concurrentRunsPerConnection;

/** The fields of a kind's form: its own, and what every connection has. */
const fieldsOf = (adapter: Adapter): ConnectionField[] => [
  ...adapter.fields,
  {
    name: "concurrency",
    label: "Runs at once",
    kind: "number",
    required: false,
    advanced: true,
    placeholder: String(concurrencyOf(adapter)),
    hint: "What is asked for beyond it waits in the queue, and people take turns. Your provider's own limit is a good value.",
  },
];

/** Puts a form's values where they belong: addresses, options, the secret. @throws Problem invalid_input with the field */
export function sortValues(adapter: Adapter, values: ConnectionValues, known: Partial<Sorted> = {}): Sorted {
  const sorted: Sorted = {
    baseUrls: { ...known.baseUrls },
    options: { ...known.options },
    secret: known.secret ?? null,
    concurrency: known.concurrency ?? concurrencyOf(adapter),
  };
  const fields = fieldsOf(adapter);
  const unknown = Object.keys(values).find((name) => !fields.some((field) => field.name === name));
  if (unknown) throw new Problem("invalid_input", { field: `values.${unknown}`, message: `${adapter.name} has no field "${unknown}".` });
  for (const field of fields) {
    const value = typeof values[field.name] === "string" ? (values[field.name] as string).trim() : values[field.name];
    const invalid = (message: string): Problem =>
      new Problem("invalid_input", { field: `values.${field.name}`, message: `${field.label}: ${message}` });
    if (value === undefined) continue;
    if (field.choices && value !== "" && !field.choices.includes(String(value))) throw invalid("choose one of the list.");
    if (field.kind === "url" && value !== "" && !isAddress(String(value)))
      throw invalid("this is not an address. It begins with http:// or https://.");
    if (field.name === "concurrency") sorted.concurrency = value === "" ? concurrencyOf(adapter) : readConcurrency(value, invalid);
    else if (field.kind === "secret") sorted.secret = value === "" ? null : String(value);
    else if (field.address && value === "") delete sorted.baseUrls[field.address];
    else if (field.address) sorted.baseUrls[field.address] = String(value).replace(/\/+$/, "");
    else if (value === "") delete sorted.options[field.name];
    else sorted.options[field.name] = value;
  }
  return sorted;
}

function readConcurrency(value: unknown, invalid: (message: string) => Problem): number {
  const most = limits.concurrentRunsPerConnectionMost;
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most) throw invalid(`a whole number from 1 to ${most}.`);
  return Number(value);
}

function requireFields(adapter: Adapter, sorted: Sorted): void {
  for (const field of adapter.fields.filter((candidate) => candidate.required)) {
    const value = field.kind === "secret" ? sorted.secret : field.address ? sorted.baseUrls[field.address] : sorted.options[field.name];
    if (value === undefined || value === null || value === "")
      throw new Problem("invalid_input", { field: `values.${field.name}`, message: `${field.label} is needed.` });
  }
}

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return ["http:", "https:", "ws:", "wss:"].includes(url.protocol) && url.username === "" && url.password === "";
}

export type NewConnection = { kind: string; name: string; scope: "instance" | "user"; userId: string; values: ConnectionValues };

/**
 * Connects a service: the form's values sorted and sealed, then one free call and its list of models. When that call
 * fails, nothing is kept and the person still has their form.
 * @throws Problem invalid_input, or what the provider said
 */
export async function connect(deps: EngineDeps, wanted: NewConnection): Promise<{ connection: SealedConnection; message: string }> {
  const adapter = adapterOf(deps, wanted.kind);
  if (adapter.builtin) throw new Problem("invalid_input", { field: "kind", message: "The built-in models are always there." });
  const sorted = sortValues(adapter, wanted.values);
  requireFields(adapter, sorted);
  const connection = await deps.commit((tx) =>
    insert(deps, tx, adapter, {
      ...wanted,
      ...sorted,
      scopeId: wanted.scope === "user" ? wanted.userId : null,
      createdBy: wanted.userId,
    }),
  );
  try {
    return await checkConnection(deps, connection.id);
  } catch (error) {
    await deps.commit((tx) => removeConnection(deps.store, tx, connection.id));
    throw error;
  }
}

/** The row, under an address part that no other has: one insert at a time, for two would find the same one free. */
async function insert(
  deps: EngineDeps,
  tx: Tx,
  adapter: Adapter,
  wanted: Sorted & { name: string; scope: "instance" | "user"; scopeId: string | null; createdBy: string | null },
): Promise<SealedConnection> {
  await lockInstance(deps.store, tx);
  const id = deps.ids();
  const place = secretPlace({ id, scope: wanted.scope, scopeId: wanted.scopeId });
  const base =
    wanted.name
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || adapter.kind;
  let slug = base;
  for (let n = 2; await slugExists(tx, slug); n++) slug = `${base}-${n}`;
  return insertConnection(tx, {
    id,
    slug,
    kind: adapter.kind,
    name: wanted.name,
    scope: wanted.scope,
    scopeId: wanted.scopeId,
    baseUrls: wanted.baseUrls,
    options: wanted.options,
    sealedSecret: wanted.secret === null ? null : deps.secrets.seal(wanted.secret, place),
    concurrency: wanted.concurrency,
    createdBy: wanted.createdBy,
    at: deps.clock.now(),
  });
}

/** Changes a connection in place. A changed address clears the stored key, unless a new one comes with it: a key goes only where it was meant to go. */
export async function changeConnection(
  deps: EngineDeps,
  id: string,
  change: { name?: string; values?: ConnectionValues; disabled?: boolean },
): Promise<SealedConnection> {
  const connection = await getConnection(deps.store.db, id);
  if (!connection) throw new Problem("not_found");
  const adapter = adapterOf(deps, connection.kind);
  if (adapter.builtin && change.values)
    throw new Problem("invalid_input", { field: "values", message: "The built-in models have nothing to set." });
  const sorted =
    change.values &&
    sortValues(adapter, change.values, {
      baseUrls: connection.baseUrls,
      options: connection.options as JsonObject,
      concurrency: connection.concurrency,
    });
  const moved = sorted !== undefined && JSON.stringify(sorted.baseUrls) !== JSON.stringify(connection.baseUrls);
  const sealedSecret = sorted?.secret ? deps.secrets.seal(sorted.secret, secretPlace(connection)) : moved ? null : undefined;
  const status = change.disabled === undefined ? (sorted ? "unchecked" : undefined) : change.disabled ? "disabled" : "unchecked";
  const changed = await deps.commit(async (tx, outbox) => {
    // What stood against it stood against what it was before.
    if (status === "unchecked") await closeCircuit(deps, tx, outbox, id);
    return updateConnection(tx, id, {
      name: change.name,
      ...(sorted && { baseUrls: sorted.baseUrls, options: sorted.options, concurrency: sorted.concurrency }),
      ...(sealedSecret !== undefined && { sealedSecret }),
      ...(status && { status, statusDetail: null }),
    });
  });
  if (!changed) throw new Problem("not_found");
  return changed;
}

/** The built-in models, there from the first start on and refreshed at each. Two first servers make them once. */
export async function ensureBuiltins(deps: EngineDeps): Promise<void> {
  for (const adapter of deps.adapters.values()) {
    if (!adapter.builtin) continue;
    const made = { scopeId: null, createdBy: null, baseUrls: {}, options: {}, secret: null, concurrency: concurrencyOf(adapter) };
    const connection = await deps.commit(async (tx) => {
      await lockInstance(deps.store, tx);
      const known = await findConnectionByKind(tx, adapter.kind);
      return known ?? (await insert(deps, tx, adapter, { name: adapter.name, scope: "instance", ...made }));
    });
    await refreshModels(deps, connection);
    await deps.commit(async (tx) => {
      await updateConnection(tx, connection.id, { concurrency: concurrencyOf(adapter) });
      await recordCheck(tx, connection, { status: "ok", statusDetail: null, checkedAt: deps.clock.now() });
    });
  }
}

/** The kinds that a person can add, with the fields of their form. */
export function listKinds(deps: Pick<EngineDeps, "adapters">) {
  return [...deps.adapters.values()]
    .filter((adapter) => !adapter.builtin)
    .map((adapter) => ({
      kind: adapter.kind,
      name: adapter.name,
      summary: adapter.summary,
      free: adapter.free === true,
      local: adapter.local !== undefined,
      workflows: adapter.workflows !== undefined,
      billKeyHint: adapter.bills?.keyHint ?? null,
      tasks: [...adapter.tasks],
      fields: fieldsOf(adapter).map((field) => ({ ...field, choices: field.choices && [...field.choices] })),
      addresses: { ...adapter.addresses },
    }));
}
