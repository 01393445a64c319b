import { createServiceApi } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

export const api = createServiceApi({
  name: "ElevenLabs",
  sign: (key) => ({ "xi-api-key": key }),
  classify,
});
