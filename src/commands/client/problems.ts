/**
 * The command can't be sent: no key, no server, an unknown model or setting. Nothing that costs
 * money was sent.
 */
export class CannotAsk extends Error {}

/** The run failed, or its end is unknown. */
export class RunFailed extends Error {}

/**
 * The connection broke, or a proxy answered instead of the server, so it isn't known whether the
 * request arrived or what it started.
 */
export class Unreachable extends Error {}
