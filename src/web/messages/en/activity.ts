/** Texts of the screen: activity. */
export const activity = {} as const;
