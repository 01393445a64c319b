/** Words of a project's page. */
export const project = {
  "project.about": "About",
  "project.description": "Description",
  "project.description.hint": "What it is for, for those who are in it.",
  "project.instructions": "Instructions",
  "project.instructions.hint":
    "What every chat in this project begins with, before the conversation’s own system prompt.",
  "project.saved": "The project is saved",
  "project.readOnly":
    "You are {role, select, editor {an editor} other {a viewer}} here. A manager changes the project and its members.",
  "project.archived": "Archived",
  "project.open": "Work in this project",
  "project.opened": "You work in {name} now",

  "project.members": "Members",
  "project.members.intro":
    "Who is in a project sees all of it, except conversations that their authors have not shared.",
  "project.members.you": "you",
  "project.members.owner": "owner",
  "project.members.role": "Role of {name}",
  "project.members.own": "Make {name} the owner",
  "project.members.own.title": "Make {name} the owner?",
  "project.members.own.text":
    "You stay a manager. Only the owner can change this again, and managers can then remove you.",
  "project.members.own.confirm": "Change owner",
  "project.members.own.done": "{name} owns the project now",
  "project.members.remove": "Take {name} out of the project",
  "project.members.remove.title": "Take {name} out of the project?",
  "project.members.remove.text":
    "They no longer see it. What they made in it stays, and you can add them again.",
  "project.members.remove.confirm": "Take out",
  "project.members.removed": "{name} is no longer in the project",
  "project.members.add": "Invite a member",
  "project.members.email": "E-mail",
  "project.members.email.needed": "Write their e-mail address.",
  "project.members.addRole": "As",
  "project.members.submit": "Invite",
  "project.members.added": "Invited {email}",
  "project.members.invited": "Invited as {role}, until {when}",
  "project.members.invited.hint":
    "They see the invitation on Home when they sign in with this address. An admin adds people to this Bottega.",
  "project.members.uninvite": "Remove the invitation of {email}",
  "project.members.uninvited": "Removed the invitation of {email}",
  "project.role.manager": "Members and the project itself",
  "project.role.editor": "Makes and changes things",
  "project.role.viewer": "Sees and downloads",

  "project.budget": "Budget",
  "project.budget.intro":
    "What everybody’s runs in this project may cost. An admin’s budget and the managers’ hold side by side.",
  "project.budget.none": "This project has no budget.",
  "project.budget.title": "Budget of {name}",
  "project.budget.submit": "Set the budget",
  "project.budget.done": "The budget is set",
  "project.budget.removed": "The budget is removed",
  "project.budget.remove.title": "Remove the managers’ budget {period}?",
  "project.budget.remove.text":
    "What was spent stays in the books. An admin’s budget stays as it is.",

  "project.export": "Export the project",
  "project.export.title": "Take it away",
  "project.export.text":
    "Everything that you see of this project as one zip: files, recipes, conversations. Without keys, and without what others keep to themselves.",
  "project.archive": "Archive the project",
  "project.archive.title": "Archive",
  "project.archive.text":
    "An archived project is out of the way, at the end of the list of projects. Nothing is deleted.",
  "project.archive.isArchived":
    "This project is archived: it stands at the end of the list of projects.",
  "project.archive.done": "{name} is archived",
  "project.restore": "Take it out of the archive",
  "project.restored": "{name} is out of the archive",
} as const;
