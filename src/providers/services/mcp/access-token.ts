import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { askMs, Refused, refresh } from "./authorization.ts";
import {
  changeGrant,
  type Grant,
  loadGrant,
  problemOf,
  type SignedInGrant,
  withSecret,
} from "./grant.ts";
import { endOf, signInNeeded } from "./sign-in.ts";

/** A token is no longer sent this long before it expires. */
const marginMs = 60_000;
/**
 * A renewal asks once, which takes at most `askMs`. After this the renewing server counts as gone,
 * and another one tries.
 */
export const renewalMs = askMs + 10_000;
export const pollMs = 50;

const ended = sentences.signIn.expired;

/**
 * Returns the current access token, renewed if it is about to expire or the server has just
 * `refused` it.
 * @throws ProviderError when a person must sign in (again)
 */
export async function accessToken(context: CallContext, refused?: string): Promise<string> {
  for (;;) {
    const grant = await loadGrant(context);
    if (!grant?.held) throw signInNeeded(grant?.problem?.said);
    if (isGood(grant.held, context, refused)) return grant.held.tokens.access_token;
    if (!grant.held.tokens.refresh_token) throw await end(grant.held, context);
    const id = randomUUID();
    if (await takeTurn(id, context, refused)) return renew(id, context);
    await wait(pollMs);
  }
}

const isGood = (
  { tokens, endsAt }: SignedInGrant,
  { clock }: CallContext,
  refused: string | undefined,
): boolean =>
  tokens.access_token !== refused && (endsAt === undefined || endsAt - marginMs > clock.now());

/**
 * Only one of all our servers renews, and the others wait for its result: using a refresh token
 * twice ends the sign-in.
 */
async function takeTurn(
  id: string,
  context: CallContext,
  refused: string | undefined,
): Promise<boolean> {
  const now = context.clock.now();
  let isOurs = false;
  await changeGrant(context, (grant) => {
    const isTaken = grant.renewal !== undefined && grant.renewal.endsAt > now;
    isOurs = !isTaken && grant.held !== undefined && !isGood(grant.held, context, refused);
    return isOurs ? { ...grant, renewal: { id, endsAt: now + renewalMs } } : undefined;
  });
  return isOurs;
}

async function renew(id: string, context: CallContext): Promise<string> {
  const held = (await loadGrant(context))?.held;
  if (!held) throw signInNeeded();
  // A newer sign-in wins.
  const settle = (change: Partial<Grant>) =>
    changeGrant(context, (grant) =>
      grant.renewal?.id === id ? { ...grant, ...change, renewal: undefined } : undefined,
    );
  const given = await refresh({ ...held, client: withSecret(context, held.client) }, context).catch(
    async (error: unknown) => {
      const isOver = error instanceof ProviderError && error.cause instanceof Refused;
      await settle(isOver ? { held: undefined, problem: problemOf(ended, context) } : {});
      throw isOver ? signInNeeded(ended) : error;
    },
  );
  // Without a new refresh token, the old one stays valid (RFC 6749, section 6).
  const tokens = { ...given, refresh_token: given.refresh_token ?? held.tokens.refresh_token };
  // If this can't be written, the turn stays ours until it expires, so that nobody uses the spent
  // token meanwhile.
  await settle({ held: { ...held, tokens, endsAt: endOf(given, context) } });
  return tokens.access_token;
}

/** Drops a grant that can't be renewed. */
async function end(held: SignedInGrant, context: CallContext): Promise<ProviderError> {
  const { access_token: token } = held.tokens;
  await changeGrant(context, (grant) =>
    grant.held?.tokens.access_token === token
      ? { ...grant, held: undefined, problem: problemOf(ended, context) }
      : undefined,
  );
  return signInNeeded(ended);
}
