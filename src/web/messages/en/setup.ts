/** Texts of the screen: setup. */
export const setup = {} as const;
