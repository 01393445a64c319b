import { Problem } from "#contract/errors.ts";
import type { webhookRoutes } from "#contract/routes/webhooks.ts";
import { sentences } from "#contract/sentences/index.ts";
import { instanceHookEvents } from "#contract/webhooks.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  type EndpointDeps,
  redeliver,
  rotateSecret,
  testWebhook,
} from "#engine/webhooks/endpoints.ts";
import {
  type Delivery,
  deliveryStandings,
  listDeliveries,
} from "#store/webhooks/webhook-deliveries.ts";
import {
  getWebhookEndpoint,
  listPausedWebhooks,
  listWebhookEndpoints,
  removeWebhookEndpoint,
  type WebhookEndpoint,
} from "#store/webhooks/webhooks.ts";
import { createLateAudit } from "../audit.ts";
import type { Handlers } from "../gate.ts";

export function webhookHandlers(deps: EndpointDeps): Handlers<keyof typeof webhookRoutes> {
  const { store } = deps;
  const audit = createLateAudit(deps, "webhook");
  const byOf = (actor: Actor) => ({
    userId: actor.userId,
    isAdmin: decide(actor, "instance") === "allowed",
  });

  /**
   * A response, or the reason why a URL can't be reached, describes the server's network. For a URL
   * that an admin entered, only admins see it.
   */
  const maySeeAnswers = (actor: Actor, endpoint: WebhookEndpoint | undefined): boolean =>
    endpoint?.isNamedByAdmin === false || decide(actor, "instance") === "allowed";
  const shownError = (
    maySee: boolean,
    { lastError, httpStatus, triedAt }: Delivery,
  ): string | null => {
    if (maySee || lastError === null || triedAt === null) return lastError;
    return httpStatus === null
      ? sentences.webhooks.unreachable
      : sentences.webhooks.answered({ status: httpStatus });
  };

  async function list(actor: Actor, projectId: string | null) {
    const seenBy = actor.userId;
    const endpoints = await listWebhookEndpoints(store.read, projectId);
    const standings = await deliveryStandings(
      store.read,
      endpoints.map(({ id }) => id),
      seenBy,
    );
    const webhooks = endpoints.map((endpoint) => {
      const {
        secret: _,
        oldSecret: __,
        oldSecretUntil,
        maker,
        mayBePrivate: ___,
        isNamedByAdmin: ____,
        ...shown
      } = endpoint;
      const { last, waiting = 0 } = standings.get(endpoint.id) ?? {};
      return {
        ...shown,
        maker: { id: maker.id, name: maker.name },
        oldSecretUntil:
          oldSecretUntil !== null && oldSecretUntil > deps.clock.now() ? oldSecretUntil : null,
        waiting,
        last: last
          ? {
              status: last.status,
              at: last.triedAt ?? last.createdAt,
              error: shownError(maySeeAnswers(actor, endpoint), last),
            }
          : null,
      };
    });
    return { webhooks };
  }

  return {
    listWebhooks: ({ actor }) => list(actor, null),
    async addWebhook({ actor, body, line }) {
      const made = await addWebhookEndpoint(
        deps,
        { ...body, projectId: null, events: instanceHookEvents },
        byOf(actor),
      );
      await audit(actor.userId, "add-webhook", made.id, line.address, {
        host: new URL(body.url).host,
      });
      return made;
    },
    listProjectWebhooks: ({ actor, params }) => list(actor, params.projectId),
    async addProjectWebhook({ actor, params, body, line }) {
      const made = await addWebhookEndpoint(deps, { ...body, ...params }, byOf(actor));
      const detail = {
        host: new URL(body.url).host,
        projectId: params.projectId,
        events: body.events,
      };
      await audit(actor.userId, "add-webhook", made.id, line.address, detail);
      return made;
    },
    async listPausedWebhooks({ me }) {
      const paused = await listPausedWebhooks(store.read, me.user.id);
      return {
        webhooks: paused.map(({ id, projectId, url, pausedWhy }) => ({
          id,
          projectId,
          url,
          pausedWhy,
        })),
      };
    },
    async updateWebhook({ actor, params, body, line }) {
      const endpoint = await getWebhookEndpoint(store.db, params.webhookId);
      if (body.events && endpoint?.projectId === null)
        throw new Problem("invalid_input", {
          field: "events",
          message: sentences.webhooks.budgetEventsOnly,
        });
      await changeWebhookEndpoint(deps, params.webhookId, body, byOf(actor));
      const detail = { ...body, ...(body.url !== undefined && { url: new URL(body.url).host }) };
      await audit(actor.userId, "update-webhook", params.webhookId, line.address, detail);
      return {};
    },
    async removeWebhook({ actor, params, line }) {
      if (!(await deps.commit(({ tx }) => removeWebhookEndpoint(tx, params.webhookId))))
        throw new Problem("not_found");
      await audit(actor.userId, "remove-webhook", params.webhookId, line.address);
      return {};
    },
    async rotateWebhookSecret({ actor, params, line }) {
      const rotated = await rotateSecret(deps, params.webhookId);
      await audit(actor.userId, "rotate-webhook-secret", params.webhookId, line.address);
      return rotated;
    },
    async testWebhook({ params }) {
      await testWebhook(deps, params.webhookId);
      return {};
    },
    async listDeliveries({ actor, params, query }) {
      const { deliveries, next } = await listDeliveries(store.read, {
        ...query,
        endpointId: params.webhookId,
        seenBy: actor.userId,
      });
      const maySee = maySeeAnswers(actor, await getWebhookEndpoint(store.read, params.webhookId));
      return {
        deliveries: deliveries.map((delivery) => {
          const { endpointId: _, lastError: __, nextAt, answer, ...shown } = delivery;
          return {
            ...shown,
            answer: maySee ? answer : null,
            error: shownError(maySee, delivery),
            nextAt: delivery.status === "waiting" ? nextAt : null,
          };
        }),
        next,
      };
    },
    async deliverAgain({ actor, params }) {
      await redeliver(deps, params.webhookId, params.deliveryId, byOf(actor));
      return {};
    },
  };
}
