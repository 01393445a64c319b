import { deliveryStatuses, projectHookEvents } from "#contract/webhooks.ts";
import { oneOf, person, personal, ref, secret, type WordsOf } from "./words.ts";

export const webhooks: WordsOf<"webhook_endpoint" | "webhook_out" | "webhook_in"> = {
  webhook_endpoint: {
    area: "webhooks",
    is: "An address outside that Bottega calls when something happens.",
    kept: "Until it is removed.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project that it hears about; null: the instance."),
      url: "The address.",
      secret: secret("Signing secret, sealed with the master key."),
      events: `JSON list of ${oneOf(projectHookEvents)}.`,
      created_by: person("Who added or last changed it. It sends what they may see."),
      created_at: "When it was added.",
      disabled_at: "Since when it is paused.",
      disabled_why: "Why it is paused.",
      private_allowed: "1: an admin allowed this address on a private network.",
      old_secret: secret("The secret before a rotation, sealed. For a day, both sign."),
      old_secret_until: "When that day ends.",
      failing_since: "Since when every delivery failed.",
    },
  },
  webhook_out: {
    area: "webhooks",
    is: "One delivery to such an address.",
    kept: "30 days, and until it is delivered or given up. Or until its address is removed.",
    columns: {
      id: "Id of the delivery: `webhook-id`, the same for each try.",
      endpoint_id: ref("webhook_endpoint", "The address."),
      event: "What happened.",
      payload: personal("JSON: the body. Ids, states and costs, no prompts."),
      attempts: "Tries so far.",
      next_at: "When it is tried next.",
      status: `Status: ${oneOf(deliveryStatuses)}.`,
      last_error: "Why the last try failed.",
      created_at: "When it was queued.",
      tried_at: "When it was last tried.",
      took_ms: "How long that try took.",
      http_status: "Status that the address answered with.",
      answer: "First 1 KB of its answer.",
      only_for: person("The one person who may see it; null: every manager."),
    },
  },
  webhook_in: {
    area: "webhooks",
    is: "A call from a provider that was already read. Repeats are dropped.",
    kept: "7 days.",
    columns: {
      connection_id: ref("connection", "The connection."),
      event_id: "The provider's id of the call.",
      received_at: "When it arrived.",
      outcome: "What it led to; `waits` until its run has ended.",
    },
  },
};
