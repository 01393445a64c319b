import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Collection } from "#contract/entities.ts";
import { useSession } from "../../../data/shell-data.ts";
import { toSearch } from "../filter.ts";

/**
 * Opens what a saved search finds, if an address names the search like a collection: the palette
 * knows its id only.
 */
export function useSavedSearch(open: Collection | undefined): void {
  const { project } = useSession();
  const navigate = useNavigate();
  const query = open?.kind === "smart" && open.trashedAt === null ? open.query : null;
  useEffect(() => {
    if (!query) return;
    const search = { ...toSearch(query), project: project.id };
    void navigate({ to: "/library", search, replace: true });
  }, [query, project.id, navigate]);
}
