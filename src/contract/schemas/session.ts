import { z } from "zod";
import {
  email,
  id,
  modelRef,
  name,
  ownInvite,
  password,
  personDefaults,
  project,
  session,
  themes,
  user,
} from "../entities.ts";
import { deletingPerson, personDeletion } from "./people.ts";

const account = z.strictObject({ name, email, password });
/**
 * A service found during setup: a local model server that answered, or a key in the environment.
 * `take` selects it.
 */
export const found = z.object({
  take: z.string(),
  kind: z.string(),
  name: z.string(),
  detail: z.string(),
  /** The server requires a key: a person connects it at this address, with the key. */
  needsKey: z.object({ address: z.string() }).optional(),
});
/** `invites`: open invitations to projects for this person's address. */
const me = z.object({ user, projects: z.array(project), invites: z.array(ownInvite) });

export const sessionSchemas = {
  getInstance: {
    response: z.object({ setUp: z.boolean(), encrypted: z.boolean(), version: z.string() }),
  },
  lookAround: {
    body: z.strictObject({ code: z.string().max(200) }),
    response: z.object({ found: z.array(found) }),
  },
  setUp: {
    body: account.extend({
      code: z.string().max(200),
      projectName: name,
      take: z.array(z.string().max(100)).max(20).default([]),
    }),
    /**
     * Selected services that couldn't be connected, with the reasons. The account is created
     * anyway.
     */
    response: z.object({
      user,
      notConnected: z.array(z.object({ name: z.string(), message: z.string() })),
    }),
  },
  signIn: {
    body: z.strictObject({ email, password: z.string().max(1024) }),
    response: z.object({ user }),
  },
  signOut: { response: z.object({}) },
  getSession: { response: z.object({ me: me.nullable() }) },
  getMe: { response: me },
  answerInvite: {
    params: z.object({ inviteId: id }),
    body: z.strictObject({ accept: z.boolean() }),
    response: z.object({}),
  },
  updateMe: { body: z.strictObject({ name }), response: z.object({ user }) },
  updatePreferences: {
    body: z.strictObject({
      locale: z.string().max(35).optional(),
      timeZone: z.string().max(64).optional(),
      theme: z.enum(themes).optional(),
      titleModel: modelRef.nullable().optional(),
      /** Changes only the given ones. */
      defaults: personDefaults.partial().optional(),
    }),
    response: z.object({ user }),
  },
  changePassword: {
    body: z.strictObject({ current: z.string().max(1024), password }),
    response: z.object({}),
  },
  getMyDeletion: { response: personDeletion },
  deleteMe: {
    body: z.strictObject({ password: z.string().max(1024), ...deletingPerson }),
    response: z.object({}),
  },
  listSessions: { response: z.object({ sessions: z.array(session) }) },
  revokeSession: { params: z.object({ sessionId: z.string().max(64) }), response: z.object({}) },
  getInvite: {
    params: z.object({ token: z.string().max(100) }),
    response: z.object({
      kind: z.enum(["join", "password"]),
      email: z.string(),
      name: z.string().nullable(),
      /** The names of the projects that the person will join. */
      projectNames: z.array(z.string()),
    }),
  },
  acceptInvite: {
    params: z.object({ token: z.string().max(100) }),
    body: z.strictObject({ name: name.optional(), password }),
    response: z.object({ user }),
  },
};
