import { useEffect, useId, useSyncExternalStore } from "react";

/** What the parts of a page offer to another part, each for as long as it is mounted. */
export type Offers<Offer, All> = {
  all: () => All;
  set: (owner: string, offer: Offer) => void;
  remove: (owner: string) => void;
  subscribe: (listener: () => void) => () => void;
};

/** @param gather what all offers together come to; called once for each change */
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

/** Offers this for as long as the component is mounted. The offer is stable between renders, or each render offers anew. */
export function useOffer<Offer>(offers: Offers<Offer, unknown>, offer: Offer | null): void {
  const owner = useId();
  useEffect(() => {
    if (offer === null) offers.remove(owner);
    else offers.set(owner, offer);
  }, [offers, owner, offer]);
  useEffect(() => () => offers.remove(owner), [offers, owner]);
}

/** All offers on the page now, kept up to date. */
export const useOffers = <All>(offers: Offers<never, All>): All =>
  useSyncExternalStore(offers.subscribe, offers.all);
