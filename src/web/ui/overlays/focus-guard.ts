/** What Base UI marks before and after a popup's content, to notice where Tab leads. */
export const focusGuard = "data-base-ui-focus-guard";
