/** Texts of the screen: models. */
export const models = {} as const;
