/** Texts of the screen: settings. */
export const settings = {} as const;
