/** Texts of the screen: project. */
export const project = {} as const;
