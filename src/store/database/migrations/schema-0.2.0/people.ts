import type { Table } from "../ddl.ts";

/** The sign-in library (better-auth 1.7) dictates these names and types. */
const signIn: Table[] = [
  {
    name: "user",
    columns: {
      id: "text",
      name: "text",
      email: "text",
      emailVerified: "flag",
      image: "text?",
      createdAt: "time",
      updatedAt: "time",
      // Our own columns from here on.
      role: "text",
      status: "text",
      locale: "text",
      timeZone: "text",
      theme: "text",
    },
    constraints: ["primary key (id)", "unique (email)"],
  },
  {
    name: "session",
    columns: {
      id: "text",
      expiresAt: "time",
      token: "text",
      createdAt: "time",
      updatedAt: "time",
      ipAddress: "text?",
      userAgent: "text?",
      userId: "text",
    },
    constraints: [
      "primary key (id)",
      "unique (token)",
      `foreign key ("userId") references "user" (id) on delete cascade`,
    ],
    indexes: [`create index session_by_user on "session" ("userId")`],
  },
  {
    name: "account",
    columns: {
      id: "text",
      accountId: "text",
      providerId: "text",
      userId: "text",
      accessToken: "text?",
      refreshToken: "text?",
      idToken: "text?",
      accessTokenExpiresAt: "time?",
      refreshTokenExpiresAt: "time?",
      scope: "text?",
      password: "text?",
      createdAt: "time",
      updatedAt: "time",
    },
    constraints: [
      "primary key (id)",
      `foreign key ("userId") references "user" (id) on delete cascade`,
    ],
    indexes: [`create index account_user on "account" ("userId")`],
  },
  {
    name: "verification",
    columns: {
      id: "text",
      identifier: "text",
      value: "text",
      expiresAt: "time",
      createdAt: "time",
      updatedAt: "time",
    },
    constraints: ["primary key (id)"],
    indexes: [`create index verification_identifier on "verification" ("identifier")`],
  },
];

/** People, their memberships, and their API keys. */
export const people: Table[] = [
  ...signIn,
  {
    name: "project",
    columns: {
      id: "text",
      name: "text",
      description: "text",
      instructions: "text",
      owner_id: "text",
      defaults: "text",
      seq: "int",
      archived_at: "int?",
      created_at: "int",
    },
    constraints: ["primary key (id)"],
    indexes: [`create index project_owner on project (owner_id)`],
  },
  {
    name: "project_member",
    columns: { project_id: "text", user_id: "text", role: "text", created_at: "int" },
    constraints: [
      "primary key (project_id, user_id)",
      "foreign key (project_id) references project (id)",
    ],
    indexes: [`create index project_member_user on project_member (user_id, project_id)`],
  },
  {
    // Links are stored as hashes, so that a reader of the table can't open them.
    name: "invite",
    columns: {
      id: "text",
      kind: "text",
      user_id: "text?",
      token_hash: "text",
      email: "text",
      role: "text",
      project_id: "text?",
      project_role: "text?",
      created_by: "text",
      expires_at: "int",
      used_at: "int?",
    },
    constraints: ["primary key (id)", "unique (token_hash)"],
  },
  {
    // A revoked key stays, because runs and the ledger refer to it.
    name: "api_key",
    columns: {
      id: "text",
      user_id: "text",
      project_id: "text",
      name: "text",
      prefix: "text",
      hash: "text",
      scopes: "text",
      rate_per_minute: "int",
      expires_at: "int?",
      last_used_at: "int?",
      revoked_at: "int?",
      created_at: "int",
    },
    constraints: [
      "primary key (id)",
      `foreign key (user_id) references "user" (id) on delete cascade`,
      "foreign key (project_id) references project (id) on delete cascade",
    ],
    indexes: [
      "create unique index api_key_hash on api_key (hash)",
      "create index api_key_user on api_key (user_id)",
    ],
  },
  {
    name: "audit_event",
    columns: {
      id: "text",
      actor_id: "text?",
      action: "text",
      target_kind: "text",
      target_id: "text",
      ip: "text?",
      detail: "text",
      at: "int",
    },
    constraints: ["primary key (id)"],
  },
];
