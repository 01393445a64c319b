import { grouped } from "../counts.ts";

/** Hosts that can’t be reached or break their protocol. */
export const network = {
  sentTooManyMegabytes: ({ host, megabytes }: { host: string; megabytes: number }) =>
    `${host} sent more than the limit of ${megabytes} MB.`,
  sentTooManyBytes: ({ host, bytes }: { host: string; bytes: number }) =>
    `${host} sent more than ${grouped(bytes)} bytes.`,
  unknownEncoding: ({ host, encoding }: { host: string; encoding: string }) =>
    `${host} sent the unrequested encoding ${encoding}.`,
  unpacksTooLarge: ({ host, bytes }: { host: string; bytes: number }) =>
    `${host} sent more than ${grouped(bytes)} bytes after decompression.`,
  addressNotAllowed: ({ reason }: { reason: string }) =>
    `This address is not allowed: ${reason}. An admin can allow a private address by saving it with the connection.`,
  stalled: ({ host }: { host: string }) => `${host} stopped sending in the middle of its answer.`,
  tooSlow: ({ host }: { host: string }) => `${host} took too long to answer.`,
  notHttp: ({ host }: { host: string }) => `${host} sent an answer that is not HTTP.`,
  closedEarly: ({ host }: { host: string }) => `${host} closed the connection before it answered.`,
  nameNotFound: ({ host }: { host: string }) => `The host name ${host} could not be found.`,
  connectionRefused: ({ host }: { host: string }) => `${host} refused the connection.`,
  connectTimeout: ({ host }: { host: string }) => `${host} could not be reached in time.`,
  noRoute: ({ host }: { host: string }) => `This server’s network has no route to ${host}.`,
  badCertificate: ({ host, code }: { host: string; code: string }) =>
    `The certificate of ${host} is not valid (${code}).`,
  tlsFailed: ({ host, code }: { host: string; code: string }) =>
    `${host} failed the TLS handshake (${code}).`,
  unreachable: ({ host, code }: { host: string; code: string }) =>
    `${host} could not be reached${code && ` (${code})`}.`,
  socketClosed: ({ host }: { host: string }) => `${host} closed its socket.`,
  socketRefused: ({ host, status }: { host: string; status: number }) =>
    `${host} did not open a socket (${status}).`,
  frameTooLarge: ({ host }: { host: string }) => `${host} sent a frame that is too large.`,
  secondPaidRequest: "A second paid request was stopped. Each attempt sends one.",
  tooManyRedirects: ({ host }: { host: string }) => `${host} redirects too many times.`,
  redirectsToHttp: ({ host }: { host: string }) =>
    `${host} redirects from https to http, which is not allowed.`,
};
