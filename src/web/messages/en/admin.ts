/** Texts of the screen: admin. */
export const admin = {} as const;
