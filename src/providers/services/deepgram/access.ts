import type { ErrorCode } from "#contract/errors.ts";
import type { Classify } from "../../wire/http-errors.ts";
import { createServiceApi } from "../../wire/service-api.ts";

/**
 * The API's own names (https://developers.deepgram.com/docs/errors), in `err_code` or `category`;
 * otherwise the status decides.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  INVALID_AUTH: "provider_auth",
  INSUFFICIENT_PERMISSIONS: "provider_forbidden",
  FORBIDDEN: "provider_forbidden",
  ASR_PAYMENT_REQUIRED: "provider_quota",
  PAYMENT_REQUIRED: "provider_quota",
  TOO_MANY_REQUESTS: "provider_rate_limited",
  PAYLOAD_TOO_LARGE: "provider_invalid_input",
};

const classify: Classify = ({ code = "", message = "" }) =>
  codes[code] ??
  (/no such model\/language\/tier|model.*(not found|does not exist)/i.test(message)
    ? "model_gone"
    : undefined);

export const api = createServiceApi({
  name: "Deepgram",
  sign: (key) => ({ authorization: `Token ${key}` }),
  classify,
});
