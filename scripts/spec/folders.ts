/** What each entry of the repository is for. A test compares the names with git's. */
export const topLevel: Record<string, string> = {
  ".ci/": "What a build server calls: `npm test`.",
  ".dockerignore": "What the image leaves out.",
  ".git-blame-ignore-revs": "Commits that only formatted.",
  ".gitignore": "What git leaves out.",
  ".npmrc": "npm: exact versions, no registry in the lockfile.",
  "CHANGELOG.md": "What each version changed, for people who use it.",
  "CONTRIBUTING.md": "The road of a run, the folders, where a new thing goes.",
  Dockerfile: "The image.",
  LICENSE: "MIT.",
  "README.md": "What it is, how to start, settings.",
  "biome.json": "Form, lint, and the arrows between folders.",
  "compose.yaml": "The image alone, or with PostgreSQL and S3.",
  "docs/": "This specification, the manual, how-tos, decisions, providers.",
  "knip.jsonc": "What counts as used, for the check.",
  "package-lock.json": "The exact packages.",
  "package.json": "Scripts, packages, and the `#room/` imports.",
  "scripts/": "What `npm start`, `npm test` and `npm run …` do. No product code.",
  "src/": "The product.",
  "test/": "Tests across rooms. A test of one file is beside that file.",
  "tsconfig.json": "TypeScript, strict; it emits nothing.",
  "vite.config.ts": "The browser build.",
  "vitest.config.ts": "The four test projects: unit, promises, security, browser.",
};

/** The rooms of src/: what is in each, and which of them it may import. */
export const rooms: Record<string, readonly [holds: string, imports: string]> = {
  "src/contract": ["the product's words: entities, routes, errors, limits, events", "nothing"],
  "src/domain": ["its rules, pure: run machine, policy, money, schemas", "contract"],
  "src/store": ["the database: schema, migrations, one folder per subject", "contract, domain"],
  "src/blobs": ["the file storage: disk, S3", "contract, domain"],
  "src/providers": ["the doors out: one folder per kind of service", "contract, domain"],
  "src/engine": ["what moves a run along its road", "all above"],
  "src/server": ["the doors in: gate, routes, sockets, sign-in, `/v1`", "all above but providers"],
  "src/web": ["the browser app", "contract, domain"],
  "src/commands": ["`backup`, `restore`, `doctor`, `run` and other commands", "all but web"],
  "src/main.ts": ["starts the server; the only file that knows every part", "all"],
  "src/master-keys.ts": [
    "the versions of the master key that a server or command has",
    "all but web",
  ],
  "src/open.ts": ["opens database, files and keys for server and commands", "all but web"],
  "src/place.ts": ["recognizes a copied or restored database", "store"],
  "src/data-folder.ts": ["the data folder: rights, lock, master key", "blobs, store, engine"],
};

export const testFolders: Record<string, string> = {
  "test/promises": "Promises of the whole: reliability, money, doors, start.",
  "test/security": "Who may do what, and what must not get in or out.",
  "test/browser": "What a person does, in a real Chromium.",
  "test/simulators": "Strict servers that speak each provider's API.",
  "test/support": "Databases, servers, browsers and people for tests.",
  "test/screenshots": "A seeded studio, and the pictures of the README.",
  "test/stored": "Databases and backups of earlier releases, for tests of an upgrade.",
  "test/soak": "Ten people, faults and kills, then an audit.",
  "test/breaks": "What the tests must notice when it is taken out (`npm run breaks`).",
  "test/agents":
    "Coding agents as their makers ship them, driven over a real server (`npm run agents`).",
  "test/bench": "Measurements; no test depends on speed.",
  "test/packages": "Packages that only tests need.",
};
