/** Access and rate limits. */
export const access = {
  originNotAllowed:
    "This origin is not allowed to call this API. Add it to BOTTEGA_APP_ORIGINS, or to the fal connection for fal’s client.",
  rateLimited: ({ who }: { who: string }) =>
    `${who} sends too many requests. Wait a minute, then try again.`,
  unknownHost: "This server does not serve this host name. Its operator can set PUBLIC_URL.",
  otherSite: "This request came from another site.",
  tooManyTries: "Too many attempts in a short time. Wait a minute, then try again.",
  sharedModelsOnly: "Access rules only apply to models of shared connections.",
  personMissing: "One of these people no longer exists.",
  projectMissing: "One of these projects no longer exists.",
  stopping: "The server is shutting down. Send the request again in a few seconds.",
  noFreePlace:
    "This model’s connection is at its limit of concurrent runs. Try again in a few seconds.",
};
