import { createServiceApi } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

/** The headers of each call. */
export const sign = (key: string): Record<string, string> => ({
  "x-api-key": key,
  "anthropic-version": "2023-06-01",
});

export const api = createServiceApi({ name: "Anthropic", sign, classify });
