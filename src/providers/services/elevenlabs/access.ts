import type { ErrorCode } from "#contract/errors.ts";
import type { Classify } from "../../wire/http-errors.ts";
import { createServiceApi } from "../../wire/service-api.ts";

/**
 * The API's own names (https://elevenlabs.io/docs/developers/resources/error-messages), in
 * `detail.code` or, before that, `detail.status`.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  // Several of these are sent with 401, like a wrong key.
  quota_exceeded: "provider_quota",
  insufficient_credits: "provider_quota",
  payment_required: "provider_quota",
  paid_plan_required: "provider_quota",
  subscription_required: "provider_quota",
  invalid_api_key: "provider_auth",
  missing_permissions: "provider_forbidden",
  detected_unusual_activity: "provider_forbidden",
  too_many_concurrent_requests: "provider_rate_limited",
  concurrent_limit_exceeded: "provider_rate_limited",
  rate_limit_exceeded: "provider_rate_limited",
  // Also 429, but caused by ElevenLabs' load.
  system_busy: "provider_overloaded",
  bad_prompt: "provider_rejected",
  bad_composition_plan: "provider_rejected",
  content_against_policy: "provider_rejected",
  content_moderated: "provider_rejected",
  moderation_blocked: "provider_rejected",
  voice_not_found: "provider_invalid_input",
  voice_does_not_exist: "provider_invalid_input",
  max_character_limit_exceeded: "provider_invalid_input",
  text_too_long: "provider_invalid_input",
  model_not_found: "model_gone",
  model_deprecated: "model_gone",
};

const classify: Classify = ({ code = "" }) => codes[code];

export const api = createServiceApi({
  name: "ElevenLabs",
  sign: (key) => ({ "xi-api-key": key }),
  classify,
});
