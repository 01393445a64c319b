/** Webhooks and their deliveries. */
export const webhooks = {
  unreachable: "The webhook could not be reached.",
  answered: ({ status }: { status: number }) => `The webhook returned ${status}.`,
  budgetEventsOnly: "Webhooks of the instance only receive budget events.",
  ownerChanged: "The webhook’s new owner can’t see this event.",
  notSent: ({ reason }: { reason: string }) => `${reason}. This event was not sent.`,
  resumeHere: ({ reason }: { reason: string }) =>
    `${reason}. Resume this webhook to send from this server.`,
  keyListTooLong: "The provider’s list of webhook keys is too long.",
  keyListInvalid: "The provider’s list of webhook keys is not valid.",
  ownerLostAccess: "The webhook’s owner can no longer see its events.",
  gone: "The webhook returned 410: it no longer exists.",
  dead: ({ days }: { days: number }) => `No delivery has succeeded for ${days} days.`,
  urlForm: "This is not a webhook URL. It must begin with https:// and contain no password.",
  urlBlocked: ({ reason }: { reason: string }) => `Webhooks can’t be sent to this URL: ${reason}.`,
  tooMany: ({ count }: { count: number }) =>
    `There are already ${count} webhooks. Remove an unused one first.`,
  paused: "This webhook is paused. Resume it first.",
  notRetryable:
    "This delivery is in progress, no longer stored, or about another person’s private data.",
  redirected: ({ status }: { status: number }) =>
    `The webhook returned ${status}. Redirects are not followed.`,
};
