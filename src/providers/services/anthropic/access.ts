import { createServiceApi } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

/** Returns the headers of every request. */
export const sign = (key: string): Record<string, string> => ({
  "x-api-key": key,
  "anthropic-version": "2023-06-01",
});

export const api = createServiceApi({ name: "Anthropic", sign, classify });
