/** Texts of the screen: create. */
export const create = {} as const;
