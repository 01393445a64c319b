import { createServiceApi } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

export const api = createServiceApi({
  name: "Deepgram",
  sign: (key) => ({ authorization: `Token ${key}` }),
  classify,
});
