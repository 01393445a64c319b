/** Requests to the fal API. */
export const fal = {
  noConnectionNamed: ({ connection }: { connection: string }) =>
    `There is no fal connection “${connection}” for you in this project.`,
  noConnection: "There is no fal connection for you in this project.",
  noModel: ({ model }: { model: string }) =>
    `The fal connection of this project has no model “${model}”.`,
  noRequest: "None of your requests has this ID.",
  clientLeft: "The client disconnected before its request started.",
  webhookForm:
    "This is not a webhook URL. It must begin with https:// or http:// and contain no password.",
  webhookBlocked: ({ reason }: { reason: string }) =>
    `Bottega doesn’t call this address: ${reason}. An admin can allow its origin on the fal connection.`,
  webhooksTooMany: ({ count }: { count: string }) =>
    `${count} webhooks of your requests are still pending. Try again after some are delivered.`,
  webhookTooLarge: "The result is too large for a webhook. Fetch it by its request_id.",
  socketOnly: ({ model }: { model: string }) =>
    `${model} only answers on a socket, which this API does not support.`,
  targetMissing: "The header x-fal-target-url is missing. Use @fal-ai/client with proxyUrl.",
  notFalAddress: "This is not an address of fal.",
  callNotSupported: ({ method, host, path }: { method: string; host: string; path: string }) =>
    `${method} ${host}/${path} is not a supported call of fal’s API.`,
  tokenNeedsScope:
    "A socket token requires a key with the scope realtime:tokens. fal bills the socket directly, so no budget limits it.",
  tokenOneApp: "Request a token for one app at a time: allowed_apps must be a list of one name.",
  tokenLifetime: "The lifetime of a token is a whole number of seconds, at least 1.",
  tokenNoModel: ({ app }: { app: string }) =>
    `The fal connection of this project has no realtime model at “${app}”.`,
  tokenTooWide: ({ app }: { app: string }) =>
    `A token for “${app}” opens every endpoint of that app, and you can’t use all of them with this key. Request a token for one endpoint, at rest.fal.ai/tokens/realtime.`,
  unknownCall: "This is not a supported call of fal’s API.",
  keyAccepted: "fal accepted the key.",
  foreignAddress: "fal returned an address that does not belong to this connection.",
  badBillingEvent: "fal returned an unreadable billing event.",
  eventNotJson: "fal sent an event that is not JSON.",
  otherEvent: "fal sent an unexpected event.",
  noUploadAddress: "fal returned no upload address.",
  partNotConfirmed: "fal did not confirm a part of the upload.",
  otherFrame: "fal sent an unexpected frame.",
  noToken: "fal returned no token for the session.",
  frameNotMsgpack: "fal sent a frame that is not msgpack.",
  socketClosed: "fal closed the socket.",
  noRealtime: "fal has no realtime endpoint for this model.",
  unknownResult: "fal returned an unknown result.",
  noOutput: "fal returned no output.",
  noEventStream: "fal did not answer with an event stream.",
  endlessLine: "fal sent an endless line.",
  unknownStatus: "fal returned an unknown status.",
};
