/** The command could not be asked for: no key, no server, an unknown model or setting. Nothing was sent that costs. */
export class CannotAsk extends Error {}

/** The run failed, or its end is unknown. */
export class RunFailed extends Error {}

/** The connection broke, or a proxy answered in the server's place: whether the request arrived is unknown, or what it began. */
export class Unreachable extends Error {}
