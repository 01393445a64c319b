import { useQueries, useQuery } from "@tanstack/react-query";
import { foldListName, listsIn, type WordLists } from "#domain/text/prompt-template.ts";
import { wordListQuery, wordListsQuery } from "../../../data/queries/create.queries.ts";

/** The word lists that a prompt refers to, with their items. */
export function usePromptLists(
  projectId: string,
  prompt: unknown,
): { lists: WordLists; isLoading: boolean } {
  const typed = typeof prompt === "string" && prompt.includes("__") ? listsIn(prompt) : [];
  const known = useQuery({ ...wordListsQuery(projectId), enabled: typed.length > 0 });
  const wanted = new Set(typed.map(foldListName));
  const names = (known.data ?? [])
    .map(({ name }) => foldListName(name))
    .filter((name) => wanted.has(name));
  const found = useQueries({ queries: names.map((name) => wordListQuery(projectId, name)) });
  return {
    lists: new Map(
      names.flatMap((name, i) => {
        const items = found[i]?.data?.items;
        return items ? [[name, items] as const] : [];
      }),
    ),
    isLoading: (typed.length > 0 && known.isPending) || found.some(({ isPending }) => isPending),
  };
}
