import { createContext, type ReactNode, useContext, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { createOffers, type Offers, useOffer, useOffers } from "../../ui/offers.ts";

/** A list of assets in display order, through which the viewer steps. */
export type ViewerList = {
  count: number;
  /** Undefined while that part of the list isn't loaded. */
  idAt: (index: number) => string | undefined;
  at: (index: number) => Asset | undefined;
  /** An asset's index among the loaded ones; null if it isn't among them. */
  indexOf: (assetId: string) => number | null;
  /** Looks up an asset's index in a partly loaded list. */
  seek?: (assetId: string) => Promise<number | null>;
  /** Loads the assets between two indexes, inclusive. */
  load?: (first: number, last: number) => Promise<unknown>;
  /** Width divided by height, if it is known before the asset is loaded. */
  ratioAt?: (index: number) => number;
  /** Renders a tile that isn't in the page, so that the focus can return to it. */
  reveal?: (index: number) => void;
};

/** A list with all ids known. `byId` returns an asset once it is loaded. */
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

/** A fully loaded list. */
export function listOfAssets(
  assets: readonly Asset[],
  rest?: Pick<ViewerList, "reveal">,
): ViewerList {
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  return listOfIds([...byId.keys()], (id) => byId.get(id), rest);
}

/** The lists of all mounted components, and whether another is loading. */
export type ViewerLists = { lists: readonly ViewerList[]; isComing: boolean };
type Lists = Offers<ViewerList | "coming", ViewerLists>;

const createLists = (): Lists =>
  createOffers((offers) => ({
    lists: offers.filter((offer) => offer !== "coming"),
    isComing: offers.includes("coming"),
  }));

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

/**
 * Offers a list to the viewer while the component is mounted. The list must be stable between
 * renders. A skeleton in the list's place offers "coming", so that an open viewer keeps room for
 * its strip.
 */
export const useViewerList = (list: ViewerList | "coming" | null): void =>
  useOffer(useLists(), list);

/** The lists of all mounted components. */
export const useViewerLists = (): ViewerLists => useOffers(useLists());
