/**
 * What a key may be allowed. To write includes to read of the same kind. `admin` is what managers of the
 * key's project do there, as far as the key's person is one: nothing of the instance, and no accounts, roles or keys.
 */
export const keyScopes = [
  "chat",
  "runs:read",
  "runs:write",
  "assets:read",
  "assets:write",
  "models:read",
  "admin",
] as const;
export type KeyScope = (typeof keyScopes)[number];

const included: Partial<Record<KeyScope, KeyScope>> = {
  "runs:write": "runs:read",
  "assets:write": "assets:read",
};

/** Whether these scopes have this one. */
export const hasScope = (scopes: readonly KeyScope[], wanted: KeyScope): boolean =>
  scopes.some((scope) => scope === wanted || included[scope] === wanted);
