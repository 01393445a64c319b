/**
 * Options of Node's HTTP server. The URL of a zip of a thousand files contains 37 characters for
 * each, which Node's default of 16 KB refuses.
 */
export const httpOptions = {
  overrideGlobalObjects: false,
  serverOptions: { maxHeaderSize: 64 * 1024 },
} as const;
