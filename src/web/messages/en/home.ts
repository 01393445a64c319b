/** Texts of the screen: home. */
export const home = {} as const;
