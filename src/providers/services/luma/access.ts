import { createServiceApi } from "../../wire/service-api.ts";
import { classify, isOwnShape } from "./errors.ts";

export const api = createServiceApi({
  name: "Luma",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});
export const root = "/dream-machine/v1";
