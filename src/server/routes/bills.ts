import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { billRoutes } from "#contract/routes/bills.ts";
import { sentences } from "#contract/sentences/index.ts";
import { decide } from "#domain/people/policy.ts";
import { adoptCosts } from "#engine/bills/adopt-costs.ts";
import type { MayOpen } from "#engine/bills/compare-bill.ts";
import { compareBill, compareInvoice } from "#engine/bills/compare-bill.ts";
import { listProjects } from "#store/people/projects.ts";
import { createLateAudit } from "../audit.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

export function billHandlers(deps: ServerDeps): Handlers<keyof typeof billRoutes> {
  const { store } = deps;
  const audit = createLateAudit(deps, "connection");

  /**
   * The runs that a person may open: those in their projects, except other people's private ones.
   */
  async function openableBy(userId: string): Promise<MayOpen> {
    const projects = new Set((await listProjects(store.read, userId)).map(({ id }) => id));
    return (run) =>
      projects.has(run.projectId) && (run.visibility === "project" || run.userId === userId);
  }

  return {
    async compareBill({ actor, params, body, line }) {
      const comparison = await compareBill(
        deps,
        params.connectionId,
        body,
        await openableBy(actor.userId),
      );
      await audit(actor.userId, "compare-bill", params.connectionId, line.address, {
        from: body.from,
        to: body.to,
      });
      return { comparison };
    },
    async compareInvoice({ actor, params, query, c }) {
      const { from, to, guess, ...columns } = query;
      if (Number(c.req.header("content-length") ?? 0) > limits.invoiceBytes)
        throw new Problem("too_large", {
          message: sentences.money.tooLarge({ megabytes: limits.invoiceBytes / 1024 ** 2 }),
        });
      const source = (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>;
      const ask = { from, to, columns, guess: guess === "true", source };
      return compareInvoice(deps, params.connectionId, ask, await openableBy(actor.userId));
    },
    async adoptBill({ actor, params, body, line }) {
      const { costs, source } = body;
      // The caller supplies the amounts. Booking less frees budget, which only the people who set
      // budgets may do.
      if (
        decide(actor, "instance") !== "allowed" &&
        costs.some(({ billedMicros, bookedMicros }) => billedMicros < bookedMicros)
      )
        throw new Problem("forbidden", {
          message: sentences.money.lowerForAdmins,
        });
      const done = await adoptCosts(deps, params.connectionId, costs, {
        actorId: actor.userId,
        source,
      });
      await audit(actor.userId, "adopt-bill", params.connectionId, line.address, {
        source,
        runs: done.adopted,
      });
      return done;
    },
  };
}
