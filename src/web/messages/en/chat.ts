/** Texts of the screen: chat. */
export const chat = {} as const;
