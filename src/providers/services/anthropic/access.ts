import { createServiceApi } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

export const api = createServiceApi({
  name: "Anthropic",
  sign: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  classify,
});
