import { createContext, type ReactNode, useContext, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { createOffers, type Offers, useOffer, useOffers } from "../../ui/offers.ts";

/** What a place shows, in its order: the viewer goes from one to the next in it. */
export type ViewerList = {
  count: number;
  /** Undefined while that part of the list isn't loaded. */
  idAt: (index: number) => string | undefined;
  at: (index: number) => Asset | undefined;
  /** Where an asset is, among what is loaded; null where it isn't. */
  indexOf: (assetId: string) => number | null;
  /** The same for a list that is loaded by parts. */
  seek?: (assetId: string) => Promise<number | null>;
  /** Loads the assets between two indexes, inclusive. */
  load?: (first: number, last: number) => Promise<unknown>;
  /** Width by height, where it is known before the asset is loaded. */
  ratioAt?: (index: number) => number;
  /** Brings a tile into the page that isn't drawn, for the focus that returns to it. */
  reveal?: (index: number) => void;
};

/** A list whose ids are all known. `byId` gives an asset once it is loaded. */
export function listOfIds(
  ids: readonly string[],
  byId: (assetId: string) => Asset | undefined,
  rest: Pick<ViewerList, "reveal"> = {},
): ViewerList {
  const places = new Map(ids.map((id, index) => [id, index]));
  return {
    ...rest,
    count: ids.length,
    idAt: (index) => ids[index],
    at: (index) => {
      const id = ids[index];
      return id === undefined ? undefined : byId(id);
    },
    indexOf: (id) => places.get(id) ?? null,
  };
}

/** A list that is loaded whole. */
export function listOfAssets(
  assets: readonly Asset[],
  rest?: Pick<ViewerList, "reveal">,
): ViewerList {
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  return listOfIds([...byId.keys()], (id) => byId.get(id), rest);
}

type Lists = Offers<ViewerList, readonly ViewerList[]>;

const createLists = (): Lists => createOffers((lists) => lists);

const ListsContext = createContext<Lists | null>(null);

export function ViewerListsProvider({ children }: { children: ReactNode }) {
  const [lists] = useState(createLists);
  return <ListsContext value={lists}>{children}</ListsContext>;
}

function useLists(): Lists {
  const lists = useContext(ListsContext);
  if (!lists) throw new Error("The viewer's lists need a ViewerListsProvider around them.");
  return lists;
}

/** Offers what a place shows to the viewer, for as long as it is mounted. Give it a list that is stable between renders. */
export const useViewerList = (list: ViewerList | null): void => useOffer(useLists(), list);

/** The lists of everything that is mounted. */
export const useViewerLists = (): readonly ViewerList[] => useOffers(useLists());
