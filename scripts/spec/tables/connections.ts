import { connectionStatuses } from "#contract/entities.ts";
import { priceKinds } from "#contract/filters/model-filters.ts";
import { modalities, taskNames } from "#contract/tasks.ts";
import { circuitKinds } from "#domain/runs/circuit.ts";
import { oneOf, person, personal, ref, secret, type WordsOf } from "./words.ts";

export const connections: WordsOf<
  | "connection"
  | "connection_grant"
  | "circuit"
  | "model"
  | "model_override"
  | "model_star"
  | "model_access"
  | "model_alias"
  | "workflow"
> = {
  connection: {
    area: "connections",
    is: "A service with its addresses and key. It belongs to the instance, a person or a project.",
    kept: "Until it is disconnected. Runs and ledger entries keep its ID.",
    columns: {
      id: "UUIDv7.",
      slug: "Short, unique name in addresses and model IDs.",
      kind: "Kind of service: `fal`, `openai`, `ollama` and others.",
      name: "Name on screen.",
      scope: "Owner: `instance`, `user` or `project`.",
      scope_id: "ID of that person or project; null: the instance.",
      base_urls: "JSON: addresses that replace the kind's defaults, by name.",
      options: "JSON: the kind's plain fields, such as a region.",
      secret: secret("The key or keys, sealed with the master key."),
      status: `Status: ${oneOf(connectionStatuses)}.`,
      status_detail: "Why it fails, in a sentence.",
      text_places: "Maximum of text runs at once; null: the default of its kind.",
      media_places: "Maximum of media runs at once; null: the default of its kind.",
      said_places: "Maximum of runs at once, as reported by a local server.",
      text_turn: "The person or API key whose text run was claimed last.",
      media_turn: "The person or API key whose media run was claimed last.",
      checked_at: "When it was last checked.",
      listed_at: "When its list of models was first read completely with the current settings.",
      models_version: "Increases with every change of its models or of access to them.",
      created_by: person("The person who connected it."),
      created_at: "When it was connected.",
    },
  },
  connection_grant: {
    area: "connections",
    is: "A sign-in (OAuth) at a connection's server.",
    kept: "As long as its connection.",
    columns: {
      connection_id: ref("connection", "The connection."),
      secret: secret(
        "Tokens, sealed with the master key; null: before the first sign-in is complete.",
      ),
      state_hash: secret("Hash of the `state` of a sign-in in progress."),
      user_id: person("The person who is signing in."),
      begun_at: "When that sign-in started.",
    },
  },
  circuit: {
    area: "connections",
    is: "Consecutive failures of a connection or one of its models. It pauses that connection or model.",
    kept: "Until a request succeeds, a check passes or the key changes.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model; null: the whole connection.",
      kind: `Kind of failure: ${oneOf(circuitKinds)}.`,
      failures: "Consecutive failures; once open, consecutive pauses.",
      inputs: "Short hashes of the first two different inputs that failed.",
      opened_at: "When sending stopped; null: failures are only counted.",
      paused_until: "When it is tried again; null: a person must change the key.",
      detail: "The provider's words, shown to managers of the connection.",
    },
  },
  model: {
    area: "connections",
    is: "A model of a connection's catalog.",
    kept: "As long as its connection. A model that the service drops stays as `gone`.",
    columns: {
      connection_id: ref("connection", "The connection that offers it."),
      model_id: "The service's ID of the model.",
      name: "Name.",
      description: "Description.",
      tasks: `JSON list of ${oneOf(taskNames)}.`,
      input_modalities: `JSON list of inputs that it reads: ${oneOf(modalities)}.`,
      output_modalities: "JSON list of outputs that it writes, with the same values.",
      input_schema: "JSON Schema of its input: the form in Create.",
      schema_hash: "Hash of that schema.",
      capabilities: "JSON: capabilities, such as `tools`.",
      limits: "JSON: context and output length, in tokens.",
      price: "JSON list of prices: unit, micro-dollars, source, time.",
      status: "`active`, `deprecated` or `gone`.",
      search: "Folded words for the full-text index.",
      fetched_at: "When its facts were last read.",
      facts: "Words that the catalog filters by, indexed.",
      context_tokens: "Size of its context, in tokens.",
      price_kind: `For the filter: ${oneOf(priceKinds)}.`,
      first_seen_at: "When it first appeared in its connection's list.",
      came_at: "When its provider released it, or when it was added to a known list.",
      usual_nanos: "Cost of a typical use, for sorting; null: unknown.",
      facts_source: "JSON: the dated snapshot that its facts come from; null: the service.",
    },
  },
  model_override: {
    area: "connections",
    is: "Prices, a ceiling and facts that a person set for a model.",
    kept: "Until it is cleared, or its connection is removed.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model.",
      prices: "JSON list of prices that replace unknown ones.",
      price_kind: `For the filter: ${oneOf(priceKinds)}; null without prices.`,
      ceiling_micros: "The most that one run may reserve and cost.",
      usual_nanos: "Cost of a typical use at these prices.",
      set_by: person("The person who set prices or ceiling."),
      set_at: "When prices or ceiling were set.",
      facts: "JSON: facts that replace the service's.",
      facts_by: person("The person who set those facts."),
      facts_at: "When those facts were set.",
    },
  },
  model_star: {
    area: "connections",
    is: "A person's favorite model.",
    kept: "Until the star or the connection is removed.",
    columns: {
      user_id: person("The person."),
      connection_id: ref("connection", "The connection."),
      model_id: "The model.",
      created_at: "When it was starred.",
    },
  },
  model_access: {
    area: "connections",
    is: "A person or group that may use a model of a shared connection.",
    kept: "Until an admin changes it, or the connection is removed.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model; empty: every model without its own rows.",
      subject: personal("`everyone`, `admins`, `user:<id>` or `project:<id>`."),
    },
  },
  model_alias: {
    area: "connections",
    is: "One name for several models, tried in order.",
    kept: "Until an admin removes it. Runs keep the name.",
    columns: {
      name: "The name that people and programs use.",
      task: `The task of all its models: ${oneOf(taskNames)}.`,
      models: "JSON list of connection and model IDs, in order.",
      made_by: person("The person who created it."),
      created_at: "When it was created.",
      updated_at: "When it last changed.",
    },
  },
  workflow: {
    area: "connections",
    is: "A workflow document (ComfyUI) that is a model of its connection.",
    kept: "Until it or its connection is removed.",
    columns: {
      connection_id: ref("connection", "The connection."),
      id: "The model's ID on this connection.",
      name: "Name.",
      document: "JSON: the workflow, at most 1 MB.",
      updated_by: person("The person who last replaced it."),
      created_at: "When it was added.",
      updated_at: "When it was last replaced.",
    },
  },
};
