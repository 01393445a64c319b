/** Live sessions on a canvas. */
export const sessions = {
  tokenRefused: "The token for this model was rejected.",
  noPicture: "The model returned no picture.",
  endedByFal: ({ name }: { name: string }) => `fal ended the session${name && ` (${name})`}.`,
  refusedByFal: ({ status }: { status: number }) => `fal refused the session (${status}).`,
  tooManyOpen: "You are already drawing in other windows. Close one of them first.",
  modelSilent: "The model did not answer for a long time.",
  accountInactive: "This account is not active.",
  notAllowed: "You no longer have permission to create in this project.",
  stopping: "The server is shutting down. Try again in a moment.",
  frameGone: "This frame is no longer available. Draw again, then pin the next frame.",
  saveFromPage: "You can still save the picture from this page.",
  stoppedByPerson: "The session was stopped.",
  canvasClosed: "The canvas was closed or lost its connection.",
  idle: "Nothing was drawn for a while.",
  hourLong: "The session reached its limit of an hour.",
  endedByModel: "The model ended the session.",
  endedByStop: "The server was stopped.",
  tokenIssued: ({ app, seconds }: { app: string; seconds: number }) =>
    `A token for “${app}” was issued, valid for ${seconds} seconds. fal bills the sockets that it opens, so their cost is unknown.`,
  canceled: "The session was canceled.",
  stoppedWhileDrawing: "The server stopped while you were drawing. Pinned frames are saved.",
};
