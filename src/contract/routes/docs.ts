import type { RouteTable } from "../route.ts";

/** What a program can call, for programs. */
export const docsRoutes = {
  getOpenApi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    permission: "public",
    summary: "Get this API as an OpenAPI 3.1 document.",
    rate: "open",
  },
} as const satisfies RouteTable;
