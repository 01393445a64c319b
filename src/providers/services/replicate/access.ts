import { createServiceApi } from "../../wire/service-api.ts";
import { classify, isOwnShape } from "./errors.ts";

export const api = createServiceApi({
  name: "Replicate",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});

/** `owner/name` as a path. */
export const modelPath = (id: string) =>
  `/v1/models/${id.split("/").map(encodeURIComponent).join("/")}`;
