/**
 * Aliases are the models of a built-in connection with the same id in every Bottega, so that
 * listing, search, stars, access rules and requests treat them like any model. The connection has
 * no adapter: requests run on the models of the alias.
 */
export const aliasConnectionId = "00000000-0000-7000-8000-0000000a11a5";
export const aliasKind = "alias";
