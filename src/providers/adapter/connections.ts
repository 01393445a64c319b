import type { RunPlace, ServiceGroup } from "#contract/filters/model-filters.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { EmbeddingReach } from "#domain/runs/embedding-batch.ts";

/** The declaration of a kind of connection, available for every kind before its code is loaded. */
export type ConnectionKind = {
  kind: string;
  name: string;
  /** One line, shown under the name in the list of kinds. */
  summary: string;
  /** The group of services that this kind is listed in. */
  group: ServiceGroup;
  /** The file of docs/providers that documents the kind. */
  docs: string;
  /** A built-in kind has one instance connection and can't be added or removed. */
  builtin?: boolean;
  /** The kind is free and local, so a lost answer may be requested again. */
  free?: boolean;
  /**
   * Where the models run. If left out, the connection's address decides between local and hosted.
   */
  runsOn?: RunPlace;
  /** Fields of the form for a new connection. */
  fields: readonly ConnectionField[];
  /**
   * Every address that the adapter calls, by name, with its default. An admin may override one on
   * the connection. A default may contain an option in braces ("https://service.{region}.example"),
   * which is replaced before the adapter sees it.
   */
  addresses: Readonly<Record<string, string>>;
  /**
   * Environment variables whose value is offered during setup as a key for this kind. They are
   * never used without asking.
   */
  environmentKeys?: readonly string[];
  tasks: readonly Task[];
  /** The provider's list often states no tasks, so a person may set them (`CallContext.tasks`). */
  takesTasks?: true;
  /** Features that chats lack. A request that uses one is refused, not sent without it. */
  lacks?: readonly ("tools" | "answerShape")[];
  /**
   * Parameters of OpenAI's chat API that the kind accepts from programs unchanged, in addition to
   * the settings of its form.
   */
  passes?: readonly string[];
  /** Whether a model, unlike others of the kind, lacks a parameter of `passes`. */
  lacksParameter?(modelId: string, name: string): boolean;
  /** The parameters of `passes` that models refuse while reasoning. */
  refusesInReasoning?: readonly string[];
  /** How many inputs an embedding request may have; one text if left out. */
  embeds?: EmbeddingReach;
  /** The adapter counts the tokens of a question (`countTokens`). */
  countsTokens?: true;
  /** Answers cite the documents of their question, in Anthropic's form. */
  citesDocuments?: true;
  /** The API requires an output limit for chats. */
  needsOutputLimit?: true;
  /**
   * The most uses of the provider's own tools per answer, for when a bound is needed (`maxToolUses`
   * of the input).
   */
  toolUsesMost?: number;
  /** Concurrent runs of a local server, when the kind itself determines them. */
  localSlots?: number;
  /**
   * How long the provider keeps result files that have no expiry of their own. An hour by default.
   */
  outputLifetimeMs?: number;
  /** How long the provider keeps an ended job, by its documentation. A day by default. */
  jobLifetimeMs?: number;
  /** The choice of the form with which a person signs in at the server (`signIn`). */
  signInWhen?: { field: string; is: string };
  /** The field with the sign-in address, which is used only for signing in. */
  signInAddress?: string;
  /** The adapter reads the state of the server's own models, and acts on them (`local`). */
  hasLocalModels?: true;
  /** The models are workflows that people add to the connection (`workflows`). */
  hasWorkflows?: true;
  /**
   * Where a person finds the key that reads bills (`bills`), which may have more rights than a
   * connection should.
   */
  billKeyHint?: string;
};

export type ConnectionField = {
  name: string;
  label: string;
  kind: "secret" | "url" | "text" | "number" | "choice";
  required: boolean;
  hint?: string;
  choices?: readonly string[];
  placeholder?: string;
  /**
   * A url field sets this address (a key of `addresses`). Other fields are stored in `options`,
   * secrets in `secret`.
   */
  address?: string;
  /** Shown under "Advanced". */
  advanced?: boolean;
  /**
   * The field applies only if the choice `field` has one of these values; a choice that nobody made
   * has its first value. A field that doesn't apply is hidden and not required, and its value is
   * dropped.
   */
  when?: { field: string; is: readonly string[] };
};

/** An adapter's view of its connection. `secret` is decrypted only here. */
export type OpenConnection = {
  id: string;
  kind: string;
  addresses: Readonly<Record<string, string>>;
  options: JsonObject;
  /**
   * The decrypted secret. For a kind with several secret fields: JSON of the non-empty ones, by
   * name.
   */
  secret: string | null;
  /**
   * An admin created the connection for everyone, so it may use the machine's own credentials. A
   * personal connection may not.
   */
  isOfInstance?: boolean;
};
