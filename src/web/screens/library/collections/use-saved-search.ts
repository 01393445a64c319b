import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { collectionQuery } from "../../../data/queries/library/collections.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { toSearch } from "../filter.ts";

/**
 * Opens what a saved search finds, if an address names the search like a collection: the palette
 * knows its id only.
 */
export function useSavedSearch(collectionId: string | undefined): void {
  const { project } = useSession();
  const navigate = useNavigate();
  const found = useQuery(collectionQuery(project.id, collectionId ?? "")).data?.collection;
  const isOpen = found?.id === collectionId && found?.trashedAt === null;
  const query = isOpen && found.kind === "smart" ? found.query : null;
  useEffect(() => {
    if (!query) return;
    const search = { ...toSearch(query), project: project.id };
    void navigate({ to: "/library", search, replace: true });
  }, [query, project.id, navigate]);
}
