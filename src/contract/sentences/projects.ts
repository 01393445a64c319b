import { grouped } from "../counts.ts";

/** Projects and their members. */
export const projects = {
  tooMany: ({ most }: { most: number }) =>
    `You are in ${most} projects, the maximum for one person. Leave or delete one first.`,
  tooManyFor: ({ name, most }: { name: string; most: number }) =>
    `${name} would be in more than ${most} projects, the maximum for one person. Choose someone else.`,
  ownName: ({ name }: { name: string }) => `${name}’s project`,
  notManaged: "You don’t manage this project.",
  ownerIsManager: "The project’s owner must be a manager.",
  transferFirst: "The owner can transfer the project to another member.",
  archiveTooLarge: ({ gigabytes }: { gigabytes: number }) =>
    `An archive can have at most ${gigabytes} GB.`,
  ownerNotByKey: "API keys can’t change a project’s owner. Sign in to Bottega instead.",
  ownerTransfers: "Only the owner can transfer a project, and only to a member.",
  alreadyMember: ({ name }: { name: string }) => `${name} is already in this project.`,
  removeYourself: "You can’t remove yourself. Leave the project instead.",
  ownerStays: "You own this project, so you can’t leave it. Make another member the owner first.",
  wordListName:
    "Use letters, digits, hyphens and single underscores, at most 60, such as “colors”.",
  wordListEmpty: "Enter at least one item.",
  wordListTooLong: ({ most }: { most: number }) =>
    `The items have more than ${grouped(most)} characters together. Use shorter or fewer items.`,
  wordListsTooMany: ({ most }: { most: number }) =>
    `A project has at most ${most} word lists. Delete one first.`,
  wordListChanged: ({ name }: { name: string }) =>
    `Someone changed the list “${name}” in the meantime.`,
  wordListDeleted: ({ name }: { name: string }) =>
    `Someone deleted the list “${name}” in the meantime.`,
};
