# Three stages: everything is built in the first, production packages come from the second, the last holds only what runs.
# scripts/container-size.mjs runs the same steps without an engine: change both together.
# Images are named by version and digest, so that each build starts from the same bytes; docs/operating.md says how to renew them.

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY test/packages/package.json ./test/packages/
RUN npm ci --include=dev --omit=peer --workspaces=false --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY test/packages/package.json ./test/packages/
# Peers that a library merely allows (a bundler, a test runner) would double the image; what we use is a dependency of our own.
RUN npm ci --omit=dev --omit=peer --workspaces=false --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
RUN node scripts/prune-modules.mjs /app

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
WORKDIR /app
COPY --from=modules /app/package.json ./
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/docs/manual ./docs/manual
COPY --from=build /app/LICENSE ./
# For commands in a running container: docker compose exec bottega bottega backup /backup
RUN printf '#!/bin/sh\nexec node --conditions=bottega-dist --disable-warning=ExperimentalWarning --max-semi-space-size=8 /app/dist/main.js "$@"\n' > /usr/local/bin/bottega \
  && chmod 755 /usr/local/bin/bottega
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENV NODE_ENV=production BOTTEGA_DATA=/data HOST=0.0.0.0 PORT=4620
EXPOSE 4620
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No shell in between: SIGTERM reaches the server, which releases what it owns and ends.
ENTRYPOINT ["node", "--conditions=bottega-dist", "--max-semi-space-size=8", "dist/main.js"]
