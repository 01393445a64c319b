export const serverArgs: readonly string[];
