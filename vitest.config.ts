import { defineConfig } from "vitest/config";

/** Unit tests sit beside their files; what crosses folders is in test/, each with its own project so that one can be run alone. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.{ts,tsx}"], environment: "node" } },
      { test: { name: "promises", include: ["test/promises/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: "security", include: ["test/security/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: "browser", include: ["test/browser/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false } },
    ],
  },
});
