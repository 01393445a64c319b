import { useNavigate, useSearch } from "@tanstack/react-router";

type Options = { push?: boolean; scrolls?: boolean };

/**
 * One value of the address, as text: a filter, a selection, an open inspector. Setting it to null takes it out. `push` makes
 * the change a step of the browser's history; else it replaces the present one. `scrolls`: what changes scrolls by itself.
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
      // Else the router scrolls back to where the address was.
      resetScroll: !scrolls,
    });
  return [search[key], set];
}
