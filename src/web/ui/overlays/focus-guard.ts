/**
 * Base UI's mark on the elements before and after a popup's content, which detect Tab leaving it.
 */
export const focusGuard = "data-base-ui-focus-guard";
