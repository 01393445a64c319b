import type { KeyRing } from "#engine/connections/key-ring.ts";

/** A key ring with one key that never changes. */
export function oneKey(key: Uint8Array, version = 1): KeyRing {
  const only = { version, key };
  return {
    keys: () => [only],
    active: () => only,
    find: (wanted) => (wanted === version ? only : undefined),
  };
}
