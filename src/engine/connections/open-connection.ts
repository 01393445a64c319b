import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type Adapter,
  type CallContext,
  type ConnectionKind,
  type LoadableKind,
  type OpenConnection,
  ProviderError,
} from "#providers/adapter.ts";
import type { OutboundOptions } from "#providers/outbound/outbound.ts";
import { getGrant, replaceGrant } from "#store/models/connection-grants.ts";
import type { SealedConnection } from "#store/models/connections.ts";
import { getWorkflow, listWorkflows } from "#store/models/workflows.ts";
import type { EngineDeps, SecretPlace } from "../deps.ts";

export const secretPlace = (connection: {
  id: string;
  scope: string;
  scopeId: string | null;
}): SecretPlace => ({
  table: "connection",
  rowId: connection.id,
  owner: `${connection.scope}:${connection.scopeId ?? ""}`,
});

/** @throws Problem not_found for a kind that this version doesn't have */
export function kindOf(deps: Pick<EngineDeps, "kinds">, kind: string): LoadableKind {
  const found = deps.kinds.get(kind);
  if (!found)
    throw new Problem("not_found", { message: sentences.connections.noAdapter({ kind }) });
  return found;
}

const loaded = new WeakMap<LoadableKind, Adapter>();

/**
 * Returns the kind's adapter, loaded on first use.
 * @throws Problem as kindOf
 */
export async function adapterOf(deps: Pick<EngineDeps, "kinds">, kind: string): Promise<Adapter> {
  const found = kindOf(deps, kind);
  const adapter = await found.load();
  loaded.set(found, adapter);
  return adapter;
}

/** Closes what the loaded adapters keep open between calls. */
export async function closeAdapters({ kinds }: Pick<EngineDeps, "kinds">): Promise<void> {
  await Promise.allSettled([...kinds.values()].map((kind) => loaded.get(kind)?.close?.()));
}

/**
 * Replaces "{region}" in an address with the option of that name. A value that isn't a plain host
 * label is ignored, because it could change the host.
 */
const fillIn = (address: string, options: JsonObject): string =>
  address.replace(/\{(\w+)\}/g, (braces, name: string) => {
    const value = options[name];
    return typeof value === "string" && /^[a-z0-9-]+$/i.test(value) ? value : braces;
  });

/** The connection as its adapter sees it: with complete addresses and the secret decrypted. */
export function openConnection(
  deps: Pick<EngineDeps, "secrets">,
  kind: ConnectionKind,
  connection: SealedConnection,
): OpenConnection {
  const options = connection.options as JsonObject;
  const defaults = Object.entries(kind.addresses).map(([name, address]) => [
    name,
    fillIn(address, options),
  ]);
  return {
    id: connection.id,
    kind: connection.kind,
    addresses: { ...Object.fromEntries(defaults), ...connection.baseUrls },
    options,
    isOfInstance: connection.scope === "instance",
    secret:
      connection.sealedSecret === null
        ? null
        : deps.secrets.open(connection.sealedSecret, secretPlace(connection)),
  };
}

/** The context of an adapter's call: the connection, the guarded fetch and a signal. */
export function callContext(
  deps: EngineDeps,
  kind: ConnectionKind,
  connection: SealedConnection,
  signal: AbortSignal,
  options: Omit<OutboundOptions, "privateOrigins"> = {},
): CallContext {
  const open = openConnection(deps, kind, connection);
  const privateOrigins = privateOriginsOf(kind, connection);
  const { read } = deps.store;
  return {
    connection: open,
    fetch: deps.outbound.open({ ...options, privateOrigins }),
    openSocket: deps.outbound.openSocket({ privateOrigins }),
    signal,
    clock: deps.clock,
    parseJson: (bytes) => deps.json.read({ as: "answer", bytes }),
    ...(kind.signInWhen && { grant: grantOf(deps, connection) }),
    ...(kind.signInAddress && {
      signInFetch: deps.outbound.open({ privateOrigins: signInOriginsOf(kind, connection) }),
    }),
    ...(deps.toolPrograms && { programs: true }),
    ...(kind.hasWorkflows && {
      workflows: {
        list: () => listWorkflows(read, connection.id),
        get: (id) => getWorkflow(read, connection.id, id),
      },
    }),
  };
}

function grantOf(
  deps: EngineDeps,
  connection: SealedConnection,
): NonNullable<CallContext["grant"]> {
  const place = { ...secretPlace(connection), table: "connection_grant" };
  const open = (sealed: string | null): string | null =>
    sealed === null ? null : deps.secrets.open(sealed, place);
  return {
    // Reads the writable database: an older snapshot would renew a grant that is new already.
    load: async () => open(await getGrant(deps.store.db, connection.id)),
    async update(change) {
      for (;;) {
        const before = await getGrant(deps.store.db, connection.id);
        const next = change(open(before));
        if (next === null) return;
        const sealed = deps.secrets.seal(next, place);
        if (await deps.commit(({ tx }) => replaceGrant(tx, connection.id, before, sealed))) return;
      }
    },
  };
}

/**
 * Private addresses are allowed only as the exact origins that an admin stored with an instance
 * connection, or as a local kind's own defaults. The sign-in address is excluded, because no call
 * goes there.
 */
export function privateOriginsOf(
  kind: ConnectionKind,
  connection: Pick<SealedConnection, "scope" | "baseUrls">,
): string[] {
  const { [kind.signInAddress ?? ""]: _, ...baseUrls } = connection.baseUrls;
  return signInOriginsOf(kind, { ...connection, baseUrls });
}

/** The private origins, including the sign-in address that an admin entered. */
export function signInOriginsOf(
  kind: ConnectionKind,
  { scope, baseUrls }: Pick<SealedConnection, "scope" | "baseUrls">,
): string[] {
  if (scope !== "instance") return [];
  const addresses = [
    ...Object.values(baseUrls),
    ...(kind.free ? Object.values(kind.addresses) : []),
  ];
  return addresses.flatMap((address) =>
    URL.canParse(address) ? [httpOrigin(new URL(address))] : [],
  );
}

/** A socket address follows the rules of its http counterpart. */
const httpOrigin = (url: URL): string =>
  `${url.protocol === "wss:" ? "https:" : url.protocol === "ws:" ? "http:" : url.protocol}//${url.host}`;

/** Converts a failed call into an error for the person who made the request. */
export function toProblem(error: unknown, connectionId: string): unknown {
  if (!(error instanceof ProviderError)) return error;
  return new Problem(error.code, { ...error.detail, connectionId }, { cause: error });
}
