import type { HealthyConnections } from "../deps.ts";
import type { Hub } from "../hub.ts";

/** Notifies every server that a failure of a service was counted. */
export const circuitsTopic = "circuits";

/**
 * Remembers the connections without failures. A failure counted by any server clears the memory. If
 * that notification is lost, the worker's regular check of all circuits clears it.
 */
export function createHealthyConnections(hub: Pick<Hub, "subscribe">): HealthyConnections {
  const quiet = new Set<string>();
  let failures = 0;
  hub.subscribe(circuitsTopic, () => {
    failures++;
    quiet.clear();
  });
  return {
    async listCircuits(connectionId, read) {
      if (quiet.has(connectionId)) return [];
      const before = failures;
      const circuits = await read();
      if (circuits.length === 0 && failures === before) quiet.add(connectionId);
      return circuits;
    },
    forget: (connectionId) => void quiet.delete(connectionId),
  };
}
