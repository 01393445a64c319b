/**
 * Aliases are the models of a connection of their own, one and the same in every Bottega: so they are listed, searched, starred,
 * opened to people and asked for as any model is. It has no adapter: what is asked of it runs on the models behind.
 */
export const aliasConnectionId = "00000000-0000-7000-8000-0000000a11a5";
export const aliasKind = "alias";
