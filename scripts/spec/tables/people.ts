import { instanceRoles, projectRoles, themes } from "#contract/entities.ts";
import { keyScopes } from "#contract/key-scopes.ts";
import { oneOf, person, personal, ref, secret, type WordsOf } from "./words.ts";

export const people: WordsOf<
  | "user"
  | "deleted_person"
  | "session"
  | "account"
  | "verification"
  | "invite"
  | "project"
  | "project_member"
  | "deleted_project"
  | "api_key"
  | "audit_event"
> = {
  user: {
    area: "people",
    is: "A person with an account. The sign-in library names the columns of this table and the next three.",
    kept: "Forever. A deleted person's row remains, with `Deleted person` and a number instead of name and address, because the ledger names it.",
    columns: {
      id: "UUIDv7.",
      name: personal("Name, as other people see it."),
      email: personal("Email address in lower case, for signing in."),
      emailVerified: "Always false: Bottega sends no mail.",
      image: personal("Address of a portrait. Not used yet."),
      createdAt: "When the account was created.",
      updatedAt: "When the row last changed.",
      role: `Role in the instance: ${oneOf(instanceRoles)}.`,
      status: "`active` or `suspended`.",
      locale: "Language and number format, as BCP 47: `en`.",
      timeZone: "IANA time zone: `Europe/Rome`.",
      titleModel: "JSON: the model that titles new conversations; null: none.",
      defaults: "JSON: the models, shape and notifications that new work begins with; null: none.",
      theme: `Appearance: ${oneOf(themes)}.`,
    },
  },
  deleted_person: {
    area: "people",
    is: "A deleted person, with a number. A chore erases their work in slices.",
    kept: "Forever. It marks the row of `user` as one that can't be restored.",
    columns: {
      user_id: ref("user", "The person."),
      number: "The number that replaces their name.",
      shared_work: `Whether their work shared with other people's projects remains: ${oneOf(["stays", "goes"])}.`,
      deleted_by: person("The person who deleted them: they themselves or an admin."),
      deleted_at: "When they were deleted.",
      erased_to: "Where the chore continues: a project, a slash, and the last run erased there.",
      erased_at: "When everything was erased.",
    },
  },
  session: {
    area: "people",
    is: "A signed-in browser.",
    kept: "30 days after its last use. Deleted earlier at sign-out, a new password or a suspension. Never in a backup.",
    columns: {
      id: "Random ID.",
      userId: person("The signed-in person."),
      token: secret("The session's token. The cookie contains it with a signature."),
      expiresAt: "When it ends.",
      ipAddress: personal("Network address at sign-in."),
      userAgent: personal("The browser's user agent."),
      createdAt: "When the person signed in.",
      updatedAt: "When it was last extended.",
    },
  },
  account: {
    area: "people",
    is: "A person's password.",
    kept: "As long as its person.",
    columns: {
      id: "Random ID.",
      accountId: "The person's ID, again, as the sign-in library requires.",
      providerId: "Always `credential`: a password.",
      userId: person("The person."),
      accessToken: "Not used.",
      refreshToken: "Not used.",
      idToken: "Not used.",
      accessTokenExpiresAt: "Not used.",
      refreshTokenExpiresAt: "Not used.",
      scope: "Not used.",
      password: secret("scrypt hash of the password."),
      createdAt: "When it was created.",
      updatedAt: "When the password last changed.",
    },
  },
  verification: {
    area: "people",
    is: "The sign-in library's table for codes by email. Bottega sends none, so it is empty.",
    kept: "Empty. Never in a backup.",
    columns: {
      id: "Random ID.",
      identifier: personal("The recipient of the code."),
      value: secret("The code."),
      expiresAt: "When it ends.",
      createdAt: "When it was created.",
      updatedAt: "When it last changed.",
    },
  },
  invite: {
    area: "people",
    is: "A one-time link to join or to set a password, or an invitation into a project.",
    kept: "Valid for 7 days, and deleted 30 days after that, used or not. A withdrawn one is deleted at once.",
    columns: {
      id: "UUIDv7.",
      kind: "`join`, `password`, or `project` (answered after signing in, without a link).",
      user_id: person("For a password link: the person."),
      token_hash: secret("SHA-256 of the token in the link. The token itself is not stored."),
      email: personal("The invited address."),
      role: `Role that a new account gets: ${oneOf(instanceRoles)}.`,
      project_id: ref("project", "The project that the person joins."),
      project_role: `Role in that project: ${oneOf(projectRoles)}.`,
      created_by: person("The person who sent it."),
      expires_at: "When it ends.",
      used_at: "When it was used; null: not yet.",
    },
  },
  project: {
    area: "people",
    is: "A workspace and the unit of visibility. Its members see its contents.",
    kept: "Until deleted. An admin can restore it for 30 days. Its row and name then remain forever, because the ledger names it, but not its text. A stopped import deletes its project.",
    columns: {
      id: "UUIDv7.",
      name: "Name, 1 to 200 characters. If it was deleted with its person: `Deleted project` and a number.",
      description: personal("Description."),
      instructions: personal("Text that precedes the system prompt of every conversation in it."),
      owner_id: person("Its owner, who is always a manager."),
      defaults: "JSON, always empty. Reserved for presets.",
      seq: "Last number of the project's feed (`change.seq`).",
      archived_at: "When it was archived.",
      created_at: "When it was created.",
    },
  },
  project_member: {
    area: "people",
    is: "A person's role in a project.",
    kept: "Until the person leaves or is removed.",
    columns: {
      project_id: ref("project", "The project."),
      user_id: person("The person."),
      role: `Role: ${oneOf(projectRoles)}.`,
      created_at: "When they joined.",
      name: personal("The person's name, for sorting members."),
    },
  },
  deleted_project: {
    area: "people",
    is: "A deleted project. An admin can restore it until it is due. A chore then erases it in slices.",
    kept: "Until the project is restored, otherwise forever.",
    columns: {
      project_id: ref("project", "The project. It has no members."),
      members: personal(
        "JSON: the members to restore with it, with role and time. Empty once it is erased.",
      ),
      was_archived_at: "When it was archived, if it was.",
      deleted_by: person("The person who deleted it."),
      deleted_at: "When it was deleted.",
      due_at: "When erasing starts: after 30 days, or at once if it was deleted with its person.",
      erased_to: ref("run", "The last run whose content is erased, where the chore continues."),
      erased_at: "When everything was erased.",
      number:
        "The number in its name, if it was deleted with its person. Never reused, because the project can't be restored.",
    },
  },
  api_key: {
    area: "people",
    is: "A key for programs: one person's rights, in one project, with scopes.",
    kept: "Forever, even if revoked, because ledger entries name it.",
    columns: {
      id: "UUIDv7.",
      user_id: person("The person whose rights it has."),
      project_id: ref("project", "The one project that it can use."),
      name: "Name.",
      prefix: "First characters of the key, to recognize it.",
      hash: secret("SHA-256 of the key. The key itself is shown once and not stored."),
      scopes: `JSON list of ${oneOf(keyScopes)}.`,
      models:
        "JSON list of the models and aliases that it may use; null: all that its person may use.",
      rate_per_minute: "Maximum of requests per minute.",
      keeps_running: "1 if its runs continue when their program closes the connection.",
      expires_at: "When it ends; null: never.",
      last_used_at: "Last use, to within 5 minutes.",
      revoked_at: "When it was revoked.",
      created_at: "When it was created.",
    },
  },
  audit_event: {
    area: "people",
    is: "A record of people's changes to accounts, roles, keys, connections, projects and bills.",
    kept: "Forever. Admin shows it as the audit log. For a deleted person, only an ID remains, without email or network address.",
    columns: {
      id: "UUIDv7.",
      actor_id: person("The person who did it."),
      action: "The action: `invite`, `revoke-key`, `connect` and others.",
      target_kind: "Kind of the changed thing.",
      target_id: "ID of that thing.",
      ip: personal("Network address of the request."),
      detail: personal("JSON: the changes. No secrets."),
      at: "When it happened.",
    },
  },
};
