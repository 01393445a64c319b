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
    kept: "For good. Of a deleted person the row stays with `Deleted person` and a number in place of name and address: the books name it.",
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
    is: "A person who was deleted, under a number. A chore erases what they made, a slice at a time.",
    kept: "For good: it says that the row of `user` is nobody who can come back.",
    columns: {
      user_id: ref("user", "The person."),
      number: "The number that stands for them.",
      shared_work: `What became of what they had shared with projects of others: ${oneOf(["stays", "goes"])}.`,
      deleted_by: person("Who deleted them: themself or an admin."),
      deleted_at: "When they were deleted.",
      erased_to:
        "Where the chore continues: a project, a slash, and the last run that is erased there.",
      erased_at: "When all of it was erased.",
    },
  },
  session: {
    area: "people",
    is: "A browser that is signed in.",
    kept: "30 days after its last use. Deleted earlier at sign-out, a new password or a suspension. Never in a backup.",
    columns: {
      id: "Random id.",
      userId: person("Who is signed in."),
      token: secret("The session's token. The cookie carries it with a signature."),
      expiresAt: "When it ends.",
      ipAddress: personal("Network address at sign-in."),
      userAgent: personal("The browser, as it names itself."),
      createdAt: "When the person signed in.",
      updatedAt: "When it was last extended.",
    },
  },
  account: {
    area: "people",
    is: "A person's password.",
    kept: "As long as its person.",
    columns: {
      id: "Random id.",
      accountId: "The person's id again, as the sign-in library wants it.",
      providerId: "Always `credential`: a password.",
      userId: person("Whose password it is."),
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
      id: "Random id.",
      identifier: personal("Whom the code is for."),
      value: secret("The code."),
      expiresAt: "When it ends.",
      createdAt: "When it was created.",
      updatedAt: "When it last changed.",
    },
  },
  invite: {
    area: "people",
    is: "A one-time link to join or to set a password, or an invitation into a project.",
    kept: "Valid for 7 days. Deleted 30 days after that, used or not; a withdrawn one at once.",
    columns: {
      id: "UUIDv7.",
      kind: "`join`, `password`, or `project` (answered after signing in, without a link).",
      user_id: person("Of a password link: whose password."),
      token_hash: secret("SHA-256 of the token in the link. The token itself is not stored."),
      email: personal("Address that it is for."),
      role: `Role that a new account gets: ${oneOf(instanceRoles)}.`,
      project_id: ref("project", "Project that the person joins."),
      project_role: `Role in that project: ${oneOf(projectRoles)}.`,
      created_by: person("Who invited."),
      expires_at: "When it ends.",
      used_at: "When it was used; null while open.",
    },
  },
  project: {
    area: "people",
    is: "A workspace, and the unit of visibility: its members see what is in it.",
    kept: "Until it is deleted: 30 days in which an admin can restore it. Then its row stays for good with its name, because the books name it, and without its words. A stopped import deletes its own.",
    columns: {
      id: "UUIDv7.",
      name: "Name, 1 to 200 characters. Of one that was deleted with its person: `Deleted project` and a number.",
      description: personal("What it is for."),
      instructions: personal("Precedes the system prompt of every conversation in it."),
      owner_id: person("Its owner, always a manager of it."),
      defaults: "JSON: empty. Reserved for preset choices.",
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
      name: personal("The person's name, by which members are listed."),
    },
  },
  deleted_project: {
    area: "people",
    is: "A project that was deleted: until it is due it can be restored, then a chore erases it, a slice at a time.",
    kept: "Until the project is restored, else for good.",
    columns: {
      project_id: ref("project", "The project. It has no members."),
      members: personal(
        "JSON: who comes back with it, with role and time. Empty once it is erased.",
      ),
      was_archived_at: "When it had been archived before.",
      deleted_by: person("Who deleted it."),
      deleted_at: "When it was deleted.",
      due_at: "From when it is erased: 30 days later, or at once with its person.",
      erased_to: ref(
        "run",
        "The last run of which the content is erased: where the chore continues.",
      ),
      erased_at: "When all of it was erased.",
      number:
        "By which the books name it, where it went with its person. Never given twice, for it can't be restored.",
    },
  },
  api_key: {
    area: "people",
    is: "A key for programs: one person's rights, in one project, with scopes.",
    kept: "For good, revoked ones too: ledger entries name them.",
    columns: {
      id: "UUIDv7.",
      user_id: person("Whose rights it has."),
      project_id: ref("project", "The one project that it opens."),
      name: "Name that its person gave it.",
      prefix: "First characters of the key, to recognize it.",
      hash: secret("SHA-256 of the key. The key itself is shown once and not stored."),
      scopes: `JSON list of ${oneOf(keyScopes)}.`,
      models: "JSON list of the models and aliases that it may use; null: all that its person may.",
      rate_per_minute: "Requests that it may send in a minute.",
      expires_at: "When it ends; null: never.",
      last_used_at: "Last use, to within 5 minutes.",
      revoked_at: "When it was revoked.",
      created_at: "When it was created.",
    },
  },
  audit_event: {
    area: "people",
    is: "A record of what people did to accounts, roles, keys, connections, projects and bills.",
    kept: "For good. Admin shows it as the audit log. Of a deleted person an id stays, without address or network address.",
    columns: {
      id: "UUIDv7.",
      actor_id: person("Who did it."),
      action: "What was done: `invite`, `revoke-key`, `connect` and others.",
      target_kind: "Kind of the thing it was done to.",
      target_id: "Id of that thing.",
      ip: personal("Network address that it came from."),
      detail: personal("JSON: what was changed. No secrets."),
      at: "When it was done.",
    },
  },
};
