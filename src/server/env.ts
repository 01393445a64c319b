import type { HttpBindings } from "@hono/node-server";

/** `arrivedAt` is when the request's headers were read, by the monotonic clock. */
export type Env = { Bindings: HttpBindings; Variables: { requestId?: string; arrivedAt: number } };
