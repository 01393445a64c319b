import { useNavigate, useSearch } from "@tanstack/react-router";

type Options = { push?: boolean; scrolls?: boolean };

/**
 * One text value in the address: a filter, a selection, an open inspector. Null removes it. `push`
 * adds a history entry instead of replacing the current one. `scrolls` means that the change
 * scrolls by itself.
 */
export function useSearchValue(
  key: string,
): [string | undefined, (value: string | null, options?: Options) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (value: string | null, { push = false, scrolls = false }: Options = {}) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, [key]: value ?? undefined }),
      replace: !push,
      // Without this, the router restores the address's scroll position.
      resetScroll: !scrolls,
    });
  return [search[key], set];
}
