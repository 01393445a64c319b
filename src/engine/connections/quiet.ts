import type { QuietConnections } from "../deps.ts";
import type { Hub } from "../hub.ts";

/** The topic that notifies every server of a counted failure of a service. */
export const circuitsTopic = "circuits";

/** A failure that any server counts ends what is known here; for a hint that was lost the worker's look at all circuits makes up. */
export function createQuietConnections(hub: Pick<Hub, "subscribe">): QuietConnections {
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
