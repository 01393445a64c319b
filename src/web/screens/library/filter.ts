import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Asset } from "#contract/entities.ts";
import { fromModelPath } from "../../data/model-ref.ts";
import type { AssetFilter } from "../../data/queries/library.queries.ts";

/** The views in the pane. */
export const views = ["all", "kept", "uploads", "trash"] as const;
export type View = (typeof views)[number];

/** All kinds and picks by name. Not imported from the contract, whose file brings 27 KB of zod. */
const namesOf = <Name extends string>(names: Record<Name, true>) => Object.keys(names) as Name[];
export const assetKinds = namesOf<Asset["kind"]>({
  image: true,
  video: true,
  audio: true,
  "3d": true,
  text: true,
  file: true,
});
const picks = namesOf<Asset["pick"]>({ none: true, kept: true, rejected: true });

const oneOf = <Value extends string>(
  values: readonly Value[],
  value: string | undefined,
): Value | undefined => values.find((known) => known === value);

/** Parses the address. Unknown values are ignored, so that old links still work. */
export function readFilter(search: Record<string, string | undefined>): {
  view: View;
  filter: AssetFilter;
} {
  const view = oneOf(views, search.view) ?? "all";
  const pick = view === "kept" ? "kept" : oneOf(picks, search.pick);
  const source =
    view === "uploads" ? "uploaded" : oneOf(["made", "uploaded"] as const, search.source);
  const q = search.q?.trim().slice(0, 200) || undefined;
  const kind = oneOf(assetKinds, search.kind);
  const model = fromModelPath(search.model);
  return {
    view,
    filter: {
      ...(q && { q }),
      ...(kind && { kind }),
      ...(pick && { pick }),
      ...(source && { source }),
      ...model,
      trash: view === "trash" ? "true" : "false",
    },
  };
}

export const isNarrowed = ({ q, kind, pick, source, modelId }: AssetFilter, view: View): boolean =>
  Boolean(q || kind || modelId || (pick && view !== "kept") || (source && view !== "uploads"));

/** The filter in the address; the same object until the address changes. */
export function useLibraryFilter() {
  const { q, kind, pick, source, model, view } = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = useMemo(
    () => readFilter({ q, kind, pick, source, model, view }),
    [q, kind, pick, source, model, view],
  );
  return {
    ...read,
    set: (change: Record<string, string | null>) =>
      void navigate({
        to: ".",
        search: (before) => ({
          ...before,
          ...Object.fromEntries(
            Object.entries(change).map(([key, value]) => [key, value ?? undefined]),
          ),
        }),
        replace: true,
      }),
  };
}
