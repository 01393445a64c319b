/** The secrets of a connection by the names of their fields. */
export const secretsOf = (
  secret: string | null,
): { key?: string; environment?: string; clientSecret?: string } =>
  secret === null
    ? {}
    : (JSON.parse(secret) as { key?: string; environment?: string; clientSecret?: string });
