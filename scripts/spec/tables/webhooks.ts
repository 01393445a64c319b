import { deliveryStatuses, projectHookEvents } from "#contract/webhooks.ts";
import { oneOf, person, personal, ref, secret, type WordsOf } from "./words.ts";

export const webhooks: WordsOf<"webhook_endpoint" | "webhook_out" | "run_webhook" | "webhook_in"> =
  {
    webhook_endpoint: {
      area: "webhooks",
      is: "An outside address to which Bottega sends events.",
      kept: "Until it is removed.",
      columns: {
        id: "UUIDv7.",
        project_id: ref("project", "The project whose events it receives; null: the instance."),
        url: "The address.",
        secret: secret("Signing secret, sealed with the master key."),
        events: `JSON list of ${oneOf(projectHookEvents)}.`,
        created_by: person(
          "The person who added or last changed it. It receives only what they may see.",
        ),
        created_at: "When it was added.",
        disabled_at: "When it was paused.",
        disabled_why: "Why it is paused.",
        private_allowed: "1: an admin allowed this address on a private network.",
        old_secret: secret(
          "The secret before a rotation, sealed. For a day, Bottega signs with both.",
        ),
        old_secret_until: "When that day ends.",
        failing_since: "When deliveries started to fail.",
      },
    },
    webhook_out: {
      area: "webhooks",
      is: "One delivery to such an address.",
      kept: "30 days, and at least until it is delivered or given up. Deleted earlier if its address is removed.",
      columns: {
        id: "ID of the delivery: `webhook-id`, the same for each try.",
        endpoint_id: ref("webhook_endpoint", "The address."),
        event: "The event.",
        payload: personal("JSON: the body, with IDs, states and costs, without prompts."),
        attempts: "Tries so far.",
        next_at: "When it is tried next.",
        status: `Status: ${oneOf(deliveryStatuses)}.`,
        last_error: "Why the last try failed.",
        created_at: "When it was queued.",
        tried_at: "When it was last tried.",
        took_ms: "How long that try took.",
        http_status: "HTTP status of the address's answer.",
        answer: "The first 1 KB of that answer.",
        only_for: person("The only person who may see it; null: every manager."),
      },
    },
    run_webhook: {
      area: "webhooks",
      is: "The webhook address of a single run, set by a program (`fal_webhook`), and its delivery.",
      kept: "30 days. Not exported, because it belongs to a program and not to the project.",
      columns: {
        run_id: ref("run", "The run."),
        user_id: person("The person who requested the run."),
        url: personal("The address."),
        origin: "Its scheme, host and port.",
        base_url:
          "The address at which the program reached this server. Links to results start with it.",
        attempts: "Tries so far.",
        next_at: "When it is tried next; the largest number until the run ends.",
        status: `Status: ${oneOf(deliveryStatuses)}.`,
        told: "`unconfirmed` once that state was delivered. The outcome follows when it is known.",
        last_error: "Why the last try failed.",
        http_status: "HTTP status of the address's answer.",
        created_at: "When the run was requested.",
        tried_at: "When it was last tried.",
      },
    },
    webhook_in: {
      area: "webhooks",
      is: "A call from a provider that was already read. Repeats are dropped.",
      kept: "7 days.",
      columns: {
        connection_id: ref("connection", "The connection."),
        event_id: "The provider's ID of the call.",
        received_at: "When it arrived.",
        outcome: "Its result; `waits` until its run has ended and its job was read.",
      },
    },
  };
