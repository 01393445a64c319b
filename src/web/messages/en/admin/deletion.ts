/** Messages of deleting projects and people, loaded with their dialogs. */
export const deletion = {
  "deletion.title": "Delete “{name}”?",
  "deletion.goes": "Deleted",
  "deletion.stays": "Stays",
  "deletion.moves": "Handed over",
  "deletion.open": "Still open",
  "deletion.settles": "End open runs",
  "deletion.settles.hint":
    "Open runs are canceled. Unconfirmed runs are booked at their reserved amount, because they may have been charged.",
  "deletion.open.runs": "{count, plural, one {# open run} other {# open runs}}",
  "deletion.open.unconfirmed":
    "{count, plural, one {# unconfirmed run} other {# unconfirmed runs}}",
  "deletion.open.held": "{money} reserved",
  "deletion.open.see": "Open activity",
  "deletion.conversations":
    "{count, plural, one {# conversation} other {# conversations}} with {messages, plural, one {# message} other {# messages}}",
  "deletion.files": "{count, plural, one {# file} other {# files}}, {bytes}",
  "deletion.collections": "{count, plural, one {# collection} other {# collections}}",
  "deletion.comparisons": "{count, plural, one {# comparison} other {# comparisons}}",
  "deletion.wordLists": "{count, plural, one {# word list} other {# word lists}}",
  "deletion.keys": "{count, plural, one {# API key} other {# API keys}}",
  "deletion.webhooks": "{count, plural, one {# webhook} other {# webhooks}}",
  "deletion.connections": "{count, plural, one {# connection} other {# connections}}",
  "deletion.budgets": "{count, plural, one {# budget} other {# budgets}}",
  "deletion.members": "{count, plural, one {Access of # member} other {Access of # members}}",
  "deletion.sessions": "{count, plural, one {# session} other {# sessions}}",
  "deletion.account": "Name, email address and password",
  "deletion.books":
    "{count, plural, one {Cost of # run} other {Cost of # runs}}: {money}, recorded under “{name}”",

  "deletion.project.section": "Delete project",
  "deletion.project.text":
    "Deletes the project with everything in it. An admin can restore it for {days} days.",
  "deletion.project.submit": "Delete project",
  "deletion.project.when":
    "Nobody can open the project from now on. An admin can restore it for {days} days. Then it’s erased permanently.",
  "deletion.project.confirm": "Type the project’s name",
  "deletion.project.export": "Export project first",
  "deletion.project.inBooks": "{name} (deleted)",
  "deletion.project.done": "Deleted {name}",
  "deletion.project.done.detail": "An admin can restore it for {days} days.",

  "deletion.person.submit": "Delete person",
  "deletion.person.when": "They’re signed out at once and can’t come back. You can’t undo this.",
  "deletion.person.confirm": "Type the email address",
  "deletion.person.inBooks": "Deleted person",
  "deletion.person.books": "Cost of runs: {money}, recorded under “{name}” and a number",
  "deletion.person.done": "Deleted {name}",
  "deletion.person.private":
    "{count, plural, one {# private conversation} other {# private conversations}}",
  "deletion.person.privateFiles": "{count, plural, one {# private file} other {# private files}}",
  "deletion.person.projects": "Project “{name}”",
  "deletion.person.handsOver":
    "{name} goes to {to}{losesName, select, true { and gets a new name} other {}}",
  "deletion.person.shared": "Shared work",
  "deletion.person.shared.hint": "Visible to other members: {list}",
  "deletion.shared.conversations": "{count, plural, one {# conversation} other {# conversations}}",
  "deletion.shared.files": "{count, plural, one {# file} other {# files}}",
  "deletion.shared.runs": "{count, plural, one {# run} other {# runs}}",
  "deletion.person.shared.stays": "Stays, without the name",
  "deletion.person.shared.goes": "Is deleted too",

  "deletion.me.section": "Delete account",
  "deletion.me.text":
    "Deletes your account and everything that only you can see. You can’t undo this.",
  "deletion.me.title": "Delete your account?",
  "deletion.me.when": "You’re signed out at once and can’t come back. You can’t undo this.",
  "deletion.me.submit": "Delete account",
  "deletion.me.confirm": "Your password",

  "deletion.projects": "Projects",
  "deletion.projects.intro": "All projects by name. Only members see what is in them.",
  "deletion.search": "Search projects",
  "deletion.none": "No projects found.",
  "deletion.owner": "Owned by {name}",
  "deletion.delete.named": "Delete {name}",
  "deletion.deleted": "Deleted projects",
  "deletion.deleted.intro": "These can be restored, with their members, until they’re erased.",
  "deletion.deleted.detail": "Deleted by {name} {when}, erased {until}",
  "deletion.restore": "Restore",
  "deletion.restore.named": "Restore {name}",
  "deletion.restored": "Restored {name}",
} as const;
