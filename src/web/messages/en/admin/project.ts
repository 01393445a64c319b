/** Messages of a project's page. */
export const project = {
  "project.about": "About",
  "project.description": "Description",
  "project.description.hint": "What the project is for.",
  "project.instructions": "Instructions",
  "project.instructions.hint":
    "Sent at the start of every chat in this project, before the conversation’s own system prompt.",
  "project.saved": "Project saved",
  "project.readOnly":
    "You are {role, select, editor {an editor} other {a viewer}} here. Only managers can change the project and its members.",
  "project.archived": "Archived",
  "project.open": "Switch to project",
  "project.opened": "Switched to {name}",

  "project.members": "Members",
  "project.members.intro":
    "Members see everything in the project, except conversations that are not shared.",
  "project.members.search": "Search members",
  "project.members.none": "No member has this name or email address.",
  "project.members.open": "Open invitations",
  "project.members.you": "you",
  "project.members.owner": "owner",
  "project.members.role": "Role of {name}",
  "project.members.own": "Make {name} the owner",
  "project.members.own.title": "Make {name} the owner?",
  "project.members.own.text":
    "You stay a manager. Only the owner can change this again, and managers can then remove you.",
  "project.members.own.confirm": "Change owner",
  "project.members.own.done": "{name} now owns the project",
  "project.members.remove": "Remove {name} from the project",
  "project.members.remove.title": "Remove {name} from the project?",
  "project.members.remove.text": "They lose access. Their work stays, and you can add them again.",
  "project.members.remove.confirm": "Remove member",
  "project.members.removed": "Removed {name} from the project",
  "project.members.add": "Invite member",
  "project.members.email": "Email",
  "project.members.email.needed": "Enter their email address.",
  "project.members.addRole": "Role",
  "project.members.submit": "Invite",
  "project.members.added": "Invited {email}",
  "project.members.invited": "Invited as {role}, until {when}",
  "project.members.invited.hint":
    "They see the invitation on Home when they sign in with this address. An admin adds people to this Bottega.",
  "project.members.uninvite": "Revoke the invitation of {email}",
  "project.members.uninvited": "Revoked the invitation of {email}",
  "project.role.manager": "Manages the project and its members",
  "project.role.editor": "Can make, edit and delete items",
  "project.role.viewer": "Can view and download",

  "project.budget": "Budget",
  "project.budget.intro":
    "Limits the cost of all runs in this project. An admin’s budget and the managers’ budget both apply.",
  "project.budget.none": "This project has no budget.",

  "project.export": "Export project",
  "project.export.title": "Export",
  "project.export.text":
    "A ZIP of everything you can see in this project: files, recipes, conversations. Keys and private conversations of others are not included.",
  "project.archive": "Archive project",
  "project.archive.title": "Archive",
  "project.archive.text":
    "An archived project moves to the end of the project list. Nothing is deleted.",
  "project.archive.isArchived": "This project is archived. It is at the end of the project list.",
  "project.archive.done": "Archived {name}",
  "project.restore": "Unarchive project",
  "project.restored": "Unarchived {name}",
  "project.leave": "Leave project",
  "project.leave.section": "Leave project",
  "project.leave.intro": "You lose access, and your work stays. A manager can invite you again.",
  "project.leave.title": "Leave {name}?",
  "project.leave.text":
    "You lose access at once, and your API keys for this project stop working. Your work stays, and your private conversations are hidden from everyone. Runs that are queued or active finish, and the project pays for them. A manager can invite you again.",
  "project.leave.done": "Left {name}",
} as const;
