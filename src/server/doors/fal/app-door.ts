import { listOptionsOfKind } from "#store/models/connections.ts";
import type { ServerDeps } from "../../deps.ts";
import type { AppDoor } from "../programs/app-origins.ts";
import { falKind } from "./models.ts";

/** fal's client in a browser. An admin can also name origins on a fal connection of the instance. */
export const falDoor = ({ store }: Pick<ServerDeps, "store">): AppDoor => ({
  methods: "GET, POST, PUT",
  asked: /^(authorization|content-type|accept|idempotency-key|range|x-fal-[a-z-]{1,60})$/,
  shown: "x-fal-request-id, x-fal-billable-units, retry-after, content-length, content-range, etag",
  named: async () =>
    (await listOptionsOfKind(store.read, falKind)).flatMap(({ appOrigins }) =>
      typeof appOrigins === "string" ? appOrigins.split(",") : [],
    ),
});
