/** Projects and their members. */
export const projects = {
  notManaged: "You don’t manage this project.",
  ownerIsManager: "The project’s owner must be a manager.",
  transferFirst: "The owner can transfer the project to another member.",
  archiveTooLarge: ({ gigabytes }: { gigabytes: number }) =>
    `An archive can have at most ${gigabytes} GB.`,
  ownerNotByKey: "API keys can’t change a project’s owner.",
  ownerTransfers: "Only the owner can transfer a project, and only to a member.",
  alreadyMember: ({ name }: { name: string }) => `${name} is already in this project.`,
  removeYourself: "You can’t remove yourself. Ask another manager.",
};
