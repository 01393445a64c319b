import type { LookupFunction } from "node:net";
import { BlockedAddress } from "./outbound-failure.ts";
import { type AddressScope, type ResolvedAddress, refuseResolved } from "./outbound-policy.ts";

/** Returns all addresses of a name. Tests replace it; otherwise it is the system's own. */
export type Lookup = (name: string) => Promise<ResolvedAddress[]>;

/** Resolves names for sockets: a socket gets only checked addresses, and connects to those. */
export function createCheckedLookup(scope: AddressScope, lookup: Lookup): LookupFunction {
  return (name, options, callback) => {
    lookup(name).then(
      (addresses) => {
        const refusal = refuseResolved(name, addresses, scope);
        if (refusal !== null) callback(new BlockedAddress(refusal), "");
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
