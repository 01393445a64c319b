import { createServiceApi } from "../../wire/service-api.ts";
import { classify, isOwnShape } from "./errors.ts";

export const api = createServiceApi({
  name: "Cohere",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});
