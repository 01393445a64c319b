import { useEffect, useId, useSyncExternalStore } from "react";

/** Values that mounted components offer to another part of the page. */
export type Offers<Offer, All> = {
  all: () => All;
  set: (owner: string, offer: Offer) => void;
  remove: (owner: string) => void;
  subscribe: (listener: () => void) => () => void;
};

/** @param gather combines all offers; called once per change */
export function createOffers<Offer, All>(
  gather: (offers: readonly Offer[]) => All,
): Offers<Offer, All> {
  const byOwner = new Map<string, Offer>();
  const listeners = new Set<() => void>();
  let all = gather([]);
  const changed = () => {
    all = gather([...byOwner.values()]);
    for (const listener of listeners) listener();
  };
  return {
    all: () => all,
    set(owner, offer) {
      byOwner.set(owner, offer);
      changed();
    },
    remove(owner) {
      if (byOwner.delete(owner)) changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Offers a value while the component is mounted. The value is either stable between renders, or
 * offered again with each render.
 */
export function useOffer<Offer>(offers: Offers<Offer, unknown>, offer: Offer | null): void {
  const owner = useId();
  useEffect(() => {
    if (offer === null) offers.remove(owner);
    else offers.set(owner, offer);
  }, [offers, owner, offer]);
  useEffect(() => () => offers.remove(owner), [offers, owner]);
}

/** All offers on the page, kept current. */
export const useOffers = <All>(offers: Offers<never, All>): All =>
  useSyncExternalStore(offers.subscribe, offers.all);
