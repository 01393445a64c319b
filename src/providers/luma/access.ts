import { createServiceApi } from "../service-api.ts";
import { classify } from "./errors.ts";

export const api = createServiceApi({ name: "Luma", sign: (key) => ({ authorization: `Bearer ${key}` }), classify });
export const root = "/dream-machine/v1";
