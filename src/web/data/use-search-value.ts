import { useNavigate, useSearch } from "@tanstack/react-router";

/**
 * One value of the address, as text: a filter, a selection, an open inspector. Setting it to null takes it out. `push` makes
 * the change a step of the browser's history; else it replaces the present one.
 */
export function useSearchValue(
  key: string,
): [string | undefined, (value: string | null, options?: { push?: boolean }) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (value: string | null, { push = false } = {}) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, [key]: value ?? undefined }),
      replace: !push,
    });
  return [search[key], set];
}
