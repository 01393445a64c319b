import type { Filed } from "../../../data/queries/chat.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";

/** The folder or tag in the address that limits the list. */
export function useFiled(): Filed {
  const [folderId] = useSearchValue("folder");
  const [tag] = useSearchValue("tag");
  return { ...(folderId !== undefined && { folderId }), ...(tag !== undefined && { tag }) };
}
