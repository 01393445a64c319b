/**
 * The scopes of a key. Write access includes read access of the same kind. `preferences` allows
 * changing the preferences of the key's person, which apply in all their projects.
 * `realtime:tokens` allows a client to spend at fal directly, so no other scope includes it. `admin`
 * allows the actions of the project's managers if the key's person is one, but nothing on the
 * instance, and no accounts, roles or keys.
 */
export const keyScopes = [
  "chat",
  "runs:read",
  "runs:write",
  "realtime:tokens",
  "assets:read",
  "assets:write",
  "models:read",
  "preferences",
  "admin",
] as const;
export type KeyScope = (typeof keyScopes)[number];

const included: Partial<Record<KeyScope, KeyScope>> = {
  "runs:write": "runs:read",
  "assets:write": "assets:read",
};

/** Whether these scopes include this one. */
export const hasScope = (scopes: readonly KeyScope[], wanted: KeyScope): boolean =>
  scopes.some((scope) => scope === wanted || included[scope] === wanted);
