/** Signing in to a tool server. */
export const signIn = {
  expired: "The sign-in to this tool server has expired. Sign in again.",
  metadataOfOther: "The sign-in metadata of this tool server describes another server.",
  unusableToken: "The sign-in server issued an unsupported kind of token.",
  tooSlow: "The sign-in server took too long to answer.",
  nameServer:
    "If people sign in there, an admin can enter it as “Sign-in server” of a connection for everyone, under Advanced.",
  registrationRefused: ({ status }: { status: number }) =>
    `The sign-in server refused to register Bottega (HTTP ${status}).`,
  unreadable: "The sign-in server’s answer can’t be read.",
  httpStatus: ({ status }: { status: number }) => `The sign-in server returned HTTP ${status}.`,
  refused: "The tool server did not accept this sign-in. Sign in again.",
  newerNeeded: "The tool server requires a newer sign-in.",
  metadataElsewhere: ({ origin }: { origin: string }) =>
    `This tool server publishes its sign-in metadata at ${origin}. Only its own address is trusted for that.`,
  metadataAdvice: "The operator of the tool server can publish it at the server’s own address.",
  unexpectedServer: ({ issuer, allowed }: { issuer: string; allowed: string }) =>
    `This tool server sends people to ${issuer} to sign in, but the connection allows ${allowed}.`,
  changeServer: "If that is right, change the sign-in server under Edit.",
  needed: "Sign in to the tool server first.",
  press: "Press “Sign in” on this connection.",
  registrationNeeded: ({ address }: { address: string }) =>
    `This tool server requires a registered app. Register one with ${address} and enter its client ID under Edit.`,
  thenSignIn: "Then sign in there.",
  noPage: "This tool server has no web page for signing in.",
  serverChanged: ({ issuer }: { issuer: string }) =>
    `This tool server now sends people to another sign-in server: ${issuer}.`,
  enterNewSecret: "If that is right, enter the client secret of an app registered there.",
  over: "This sign-in has expired. Start it again.",
  denied: "The sign-in was denied at the tool server. Sign in again.",
  failed: ({ error }: { error: string }) =>
    `The tool server did not sign you in${error && `: ${error}`}.`,
  failedBecause: ({ reason }: { reason: string }) =>
    `Signing in to the tool server failed. ${reason}`,
};
