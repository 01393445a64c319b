/** Texts of the screen: library. */
export const library = {} as const;
