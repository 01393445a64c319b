import type { RouteTable } from "../route.ts";

/** The description of the API, for programs. */
export const docsRoutes = {
  getOpenApi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    permission: "public",
    summary: "Get this API as an OpenAPI 3.1 document.",
    rate: "open",
  },
} as const satisfies RouteTable;
