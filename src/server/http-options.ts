/** How Node's HTTP server is opened. A zip of a thousand files names each by 37 characters in its address: Node's own 16 KB refuse it. */
export const httpOptions = {
  overrideGlobalObjects: false,
  serverOptions: { maxHeaderSize: 64 * 1024 },
} as const;
