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
    kept: "Until it is disconnected. Runs and ledger entries keep its id.",
    columns: {
      id: "UUIDv7.",
      slug: "Short name in addresses and model ids; unique.",
      kind: "Kind of service: `fal`, `openai`, `ollama` and others.",
      name: "Name that people see.",
      scope: "Whose it is: `instance`, `user` or `project`.",
      scope_id: "Id of that person or project; null for the instance.",
      base_urls: "JSON: addresses that differ from the kind's own, by name.",
      options: "JSON: the kind's plain fields, such as a region.",
      secret: secret("The key or keys, sealed with the master key."),
      status: `Status: ${oneOf(connectionStatuses)}.`,
      status_detail: "Why it fails, in a sentence.",
      text_places: "Text runs at once; null: the default of its kind.",
      media_places: "Media runs at once; null: the default of its kind.",
      said_places: "Runs at once that a local server reports.",
      text_turn: "Person or API key whose text run was served last.",
      media_turn: "Person or API key whose media run was served last.",
      checked_at: "When it was last checked.",
      listed_at: "When its list of models was first read whole, as it is set up now.",
      models_version: "Raised by every change of its models or of who may use them.",
      created_by: person("Who connected it."),
      created_at: "When it was connected.",
    },
  },
  connection_grant: {
    area: "connections",
    is: "A sign-in (OAuth) at a connection's server.",
    kept: "As long as its connection.",
    columns: {
      connection_id: ref("connection", "The connection."),
      secret: secret("Tokens, sealed with the master key; null before the first sign-in ends."),
      state_hash: secret("Hash of the `state` of a sign-in under way."),
      user_id: person("Who is signing in."),
      begun_at: "When that sign-in started.",
    },
  },
  circuit: {
    area: "connections",
    is: "Failures in a row of a connection or one of its models. It pauses what fails.",
    kept: "Until a request succeeds, a check passes or the key changes.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model; null: the whole connection.",
      kind: `What fails: ${oneOf(circuitKinds)}.`,
      failures: "Failures in a row; once open, pauses in a row.",
      inputs: "Short hashes of the first two different inputs that failed.",
      opened_at: "Since when nothing is sent; null while it only counts.",
      paused_until: "When it is tried again; null: a person has to change the key.",
      detail: "The provider's words, for those who manage the connection.",
    },
  },
  model: {
    area: "connections",
    is: "A model of a connection's catalog.",
    kept: "As long as its connection. A model that the service drops stays as `gone`.",
    columns: {
      connection_id: ref("connection", "The connection that offers it."),
      model_id: "The service's own id of the model.",
      name: "Name.",
      description: "Description.",
      tasks: `JSON list of ${oneOf(taskNames)}.`,
      input_modalities: `JSON list of what it reads: ${oneOf(modalities)}.`,
      output_modalities: "JSON list of what it writes, of the same values.",
      input_schema: "JSON Schema of its input: the form in Create.",
      schema_hash: "Hash of that schema.",
      capabilities: "JSON: what it can, such as `tools`.",
      limits: "JSON: context and output length, in tokens.",
      price: "JSON list of prices: unit, micro-dollars, source, time.",
      status: "`active`, `deprecated` or `gone`.",
      search: "Folded words for the full-text index.",
      fetched_at: "When its facts were last read.",
      facts: "Words that the catalog filters by, for its index.",
      context_tokens: "How much it reads at once.",
      price_kind: `For the filter: ${oneOf(priceKinds)}.`,
      first_seen_at: "When it was first in its connection's list.",
      came_at: "When its provider released it, or when it joined a known list.",
      usual_nanos: "Cost of an ordinary use, for sorting; null: unknown.",
      facts_source: "JSON: the dated snapshot its facts come from; null: the service.",
    },
  },
  model_override: {
    area: "connections",
    is: "What a person set for a model: prices, a ceiling, facts.",
    kept: "Until it is cleared, or its connection is removed.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model.",
      prices: "JSON list of prices that replace unknown ones.",
      price_kind: `For the filter: ${oneOf(priceKinds)}; null without prices.`,
      ceiling_micros: "The most that one run may reserve and cost.",
      usual_nanos: "Cost of an ordinary use by these prices.",
      set_by: person("Who set prices or ceiling."),
      set_at: "When.",
      facts: "JSON: facts that replace the service's own.",
      facts_by: person("Who set those facts."),
      facts_at: "When.",
    },
  },
  model_star: {
    area: "connections",
    is: "A person's favorite model.",
    kept: "Until the star is removed, or the connection.",
    columns: {
      user_id: person("The person."),
      connection_id: ref("connection", "The connection."),
      model_id: "The model.",
      created_at: "When it was starred.",
    },
  },
  model_access: {
    area: "connections",
    is: "Who may use a model of a shared connection, one row for each.",
    kept: "Until an admin changes it, or the connection is removed.",
    columns: {
      connection_id: ref("connection", "The connection."),
      model_id: "The model; empty: every model without rows of its own.",
      subject: personal("`everyone`, `admins`, `user:<id>` or `project:<id>`."),
    },
  },
  model_alias: {
    area: "connections",
    is: "One name for several models, tried in order.",
    kept: "Until an admin removes it. Runs keep the name.",
    columns: {
      name: "The name that people and programs ask for.",
      task: `What all its models do: ${oneOf(taskNames)}.`,
      models: "JSON list of connection and model ids, in order.",
      made_by: person("Who created it."),
      created_at: "When it was created.",
      updated_at: "When it last changed.",
    },
  },
  workflow: {
    area: "connections",
    is: "A workflow document (ComfyUI) that is a model of its connection.",
    kept: "Until it is removed, or its connection.",
    columns: {
      connection_id: ref("connection", "The connection."),
      id: "The model's id on this connection.",
      name: "Name.",
      document: "JSON: the workflow, at most 1 MB.",
      updated_by: person("Who last replaced it."),
      created_at: "When it was added.",
      updated_at: "When it was last replaced.",
    },
  },
};
