import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout: the folder that contains scripts/. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

// npm passes its own state to its children. A nested npm would use the outer one's prefix, or leave
// out the development packages. Registry, proxy, cache and certificates are the person's settings
// and are kept.
const OUTER_NPM =
  /^(npm_(package|lifecycle)_|npm_(command|execpath|node_execpath)$|INIT_CWD$|npm_config_(local_prefix|global_prefix|prefix|omit|include|only|production|global|dry_run|workspaces?|noproxy|node_gyp|npm_version)$)/i;

function without(environment, isLeftOut) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isLeftOut(name)));
}

// Windows spells it Path, and an environment must not contain both spellings.
function withNodeFirst(environment, node) {
  const key = Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return {
    ...environment,
    [key]: [dirname(node), environment[key]].filter(Boolean).join(delimiter),
  };
}

/**
 * The environment for starting npm: `node` first on the path, no state of the outer npm, short
 * timeouts.
 */
export function npmEnvironment(node) {
  return {
    // By default npm waits five minutes for a silent registry, three times over.
    npm_config_fetch_timeout: "30000",
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "1000",
    npm_config_fetch_retry_maxtimeout: "5000",
    ...withNodeFirst(
      without(process.env, (name) => OUTER_NPM.test(name) || name === "NODE_ENV"),
      node,
    ),
    npm_config_update_notifier: "false",
  };
}

/** The environment of the program itself: nothing of npm's, and `node` first on the path. */
export function programEnvironment(node) {
  return withNodeFirst(
    without(process.env, (name) => /^npm_/i.test(name) || name === "INIT_CWD"),
    node,
  );
}
