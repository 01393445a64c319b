import { grouped } from "../counts.ts";

/** Setup, sign-in, links, and the people of the instance. */
export const account = {
  wrongSignIn: "The email address or the password is wrong.",
  wrongPassword: "The password is wrong.",
  tooManyPasswords: "Too many wrong passwords. Wait a minute, then try again.",
  unknownTimeZone: "This time zone is unknown. Use a name such as Europe/Rome.",
  ownersMakeOwners: "Only an owner can make another person an owner.",
  addressTaken: "An account with this email address already exists. Enter another address.",
  ownersChangeOwners: "Only an owner can change an owner.",
  notYourself: "You can’t suspend yourself. Ask another admin.",
  lastOwner: "The last owner can’t be removed. Make another person an owner first.",
  suspendFirst: "This person is active. Suspend them before you transfer their projects.",
  chooseActive: "This person is suspended. Choose an active one.",
  alreadySetUp: "This Bottega is already set up. Sign in instead.",
  wrongSetUpCode: "The setup code is wrong. Open the link that the server printed at its start.",
  linkUsed: "This link was used or revoked, or has expired. Ask for a new one.",
  httpsNeeded:
    "Signing in over http from a public address is disabled. Open this server over https.",
  setUpMeanwhile: "Someone else has just set up this Bottega. Sign in instead.",
  invitationOver: "This invitation has expired or was revoked.",
  nameMissing: "Enter your name.",
  addressTakenSignIn: "An account with this email address already exists. Sign in instead.",
};

const count = (value: number, one: string, more: string): string =>
  `${grouped(value)} ${value === 1 ? one : more}`;

/** Deleting projects and people. */
export const deletions = {
  otherName: ({ name }: { name: string }) =>
    `The name doesn’t match. Type “${name}” to delete the project.`,
  otherAddress: ({ email }: { email: string }) =>
    `The address doesn’t match. Type “${email}” to delete this person.`,
  ownersProject: "Only the project’s owner or an admin can delete it.",
  notSettled: ({ runs, unconfirmed }: { runs: number; unconfirmed: number }) => {
    const open = [
      ...(runs > 0 ? [count(runs, "run is still open", "runs are still open")] : []),
      ...(unconfirmed > 0
        ? [count(unconfirmed, "run is unconfirmed", "runs are unconfirmed")]
        : []),
    ].join(" and ");
    return `${open}. Cancel or resolve them first, or let the deletion do it.`;
  },
  stillEnding: "The open runs are being canceled. Try again in a minute.",
  notYourself: "Delete your own account in your settings. It asks for your password.",
  personGone: ({ number }: { number: number }) => `Deleted person ${number}`,
  projectGone: ({ number }: { number: number }) => `Deleted project ${number}`,
  keyGone: "Deleted key",
  nameInBooks: ({ name }: { name: string }) => `${name} (deleted)`,
};
