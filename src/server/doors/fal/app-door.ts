import { listOptionsOfKind } from "#store/models/connections.ts";
import type { ServerDeps } from "../../deps.ts";
import type { CrossOriginAccess } from "../programs/app-origins.ts";
import { falKind } from "./models.ts";

/** Returns the origins that an admin entered on the instance's fal connections. */
const named = async (store: ServerDeps["store"]): Promise<string[]> =>
  (await listOptionsOfKind(store.read, falKind)).flatMap(({ appOrigins }) =>
    typeof appOrigins === "string" ? appOrigins.split(",") : [],
  );

/** Returns the origins of apps that an admin allowed, which may be on a private network. */
export async function openOrigins({
  store,
  settings,
}: Pick<ServerDeps, "store" | "settings">): Promise<string[]> {
  return [...settings.appOrigins, ...(await named(store))].flatMap((one) =>
    URL.canParse(one.trim()) ? [new URL(one.trim()).origin] : [],
  );
}

/**
 * Settings for fal's client in a browser. Admins can also enter origins on a fal connection of the
 * instance.
 */
export const falDoor = ({ store }: Pick<ServerDeps, "store">): CrossOriginAccess => ({
  methods: "GET, POST, PUT",
  asked: /^(authorization|content-type|accept|idempotency-key|range|x-fal-[a-z-]{1,60})$/,
  shown: "x-fal-request-id, x-fal-billable-units, retry-after, content-length, content-range, etag",
  named: () => named(store),
});
