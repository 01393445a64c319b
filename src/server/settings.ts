import { isIP } from "node:net";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { keysForm } from "#engine/connections/key-ring.ts";
import { readFailpoints } from "#engine/failpoints.ts";

/**
 * A setting has an unusable value. The message is a sentence for the person who starts the server.
 */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type Setting = {
  name: string;
  what: string;
  schema: z.ZodType<unknown, string | undefined>;
  secret?: boolean;
};

const yes = z
  .string()
  .optional()
  .transform((value) => value === "1" || value === "true");
const url = (protocols: readonly string[]) =>
  z
    .string()
    .optional()
    .refine(
      (value) =>
        value === undefined || (URL.canParse(value) && protocols.includes(new URL(value).protocol)),
      {
        error: `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
      },
    );

const listOf = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Accepts only an exact origin: no path, no pattern. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

/**
 * All settings with their names, descriptions and schemas. The README's table is generated from
 * this.
 */
export const settingsTable = {
  port: {
    name: "PORT",
    what: "The port to listen on, or 0 for any free one. Default 4620.",
    schema: z
      .string()
      .default("4620")
      .refine((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535, {
        error: "must be a number from 0 to 65535",
      })
      .transform(Number),
  },
  host: {
    name: "HOST",
    what: "The address to listen on. Default 127.0.0.1, this machine alone; 0.0.0.0 for every network.",
    schema: z.string().default("127.0.0.1"),
  },
  publicUrl: {
    name: "PUBLIC_URL",
    what: "The address people open, if the server is behind a proxy: https://studio.example.org",
    schema: url(["http:", "https:"]),
  },
  databaseUrl: {
    name: "DATABASE_URL",
    what: "A PostgreSQL database, for more than one server: postgres://user:password@host/name. Without it, SQLite in the data folder.",
    schema: url(["postgres:", "postgresql:"]),
    secret: true,
  },
  blobUrl: {
    name: "BLOB_URL",
    what: "An S3 bucket for files: s3://bucket/prefix?endpoint=https://...&region=... (&style=virtual puts the bucket into the host name); credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without it, the data folder.",
    schema: url(["s3:"]),
  },
  dataFolder: {
    name: "BOTTEGA_DATA",
    what: "The data folder: database, files, master key. Default ./data.",
    schema: z
      .string()
      .min(1)
      .default("data")
      .transform((value) => resolve(value)),
  },
  masterKey: {
    name: "BOTTEGA_MASTER_KEY",
    what: "The key that seals stored provider keys: 64 hexadecimal digits, or two versions during a rotation (2:…,1:…). Without it, data/master.key, made at the first start.",
    schema: z
      .string()
      .optional()
      .refine((value) => value === undefined || keysForm.test(value), {
        error: "must be 64 hexadecimal digits, or versions of them such as 2:…,1:…",
      }),
    secret: true,
  },
  trustedProxies: {
    name: "BOTTEGA_TRUSTED_PROXIES",
    what: "Trusted proxies: addresses or ranges such as 10.0.0.0/8, separated by commas. Their X-Forwarded-For and X-Forwarded-Proto are used.",
    schema: z
      .string()
      .default("")
      .transform(listOf)
      .refine(
        (list) =>
          list.every(
            (part) =>
              isIP(part.split("/")[0] ?? "") > 0 && (isIP(part) > 0 || ipaddr.isValidCIDR(part)),
          ),
        {
          error: "must be IP addresses or ranges such as 10.0.0.0/8, separated by commas",
        },
      ),
  },
  appOrigins: {
    name: "BOTTEGA_APP_ORIGINS",
    what: "Web apps on other sites that may call /v1 and the API for fal's client with a key: origins such as https://app.example.org, separated by commas.",
    schema: z
      .string()
      .default("")
      .transform(listOf)
      .refine((list) => list.every(isOrigin), {
        error: "must be origins such as https://app.example.org, separated by commas",
      }),
  },
  insecureHttp: {
    name: "BOTTEGA_INSECURE_HTTP",
    what: "1 allows sign-in over plain http from public addresses. The connection is then readable to anyone on the network.",
    schema: yes,
  },
  ffmpeg: {
    name: "BOTTEGA_FFMPEG",
    what: "The ffmpeg program for posters and waveforms. Default: ffmpeg on the PATH, if installed.",
    schema: z.string().optional(),
  },
  drainS: {
    name: "BOTTEGA_DRAIN_S",
    what: "The seconds that work in flight gets at shutdown. Default 25. Set it 5 below the time until the process is killed.",
    schema: z
      .string()
      .default("25")
      .refine((value) => /^\d{1,4}$/.test(value), {
        error: "must be a whole number of seconds from 0 to 9999",
      })
      .transform(Number),
  },
  logLevel: {
    name: "BOTTEGA_LOG",
    what: "How much is logged: debug, info, warn or error. Default info.",
    schema: z
      .enum(["debug", "info", "warn", "error"], { error: "must be debug, info, warn or error" })
      .default("info"),
  },
  toolPrograms: {
    name: "BOTTEGA_TOOL_PROGRAMS",
    what: "1 lets admins connect tool servers that are programs on this machine. They run with all rights of this server.",
    schema: yes,
  },
  failpoints: {
    name: "BOTTEGA_FAILPOINTS",
    what: "For tests only: points where the server fails on purpose, such as job.accepted=kill. Refused with NODE_ENV=production.",
    schema: z
      .string()
      .optional()
      .transform((value, context) => {
        try {
          return value === undefined ? undefined : readFailpoints(value);
        } catch (error) {
          context.addIssue({
            code: "custom",
            message: error instanceof Error ? error.message : String(error),
          });
          return z.NEVER;
        }
      }),
  },
} as const satisfies Record<string, Setting>;

export type Settings = {
  [K in keyof typeof settingsTable]: z.output<(typeof settingsTable)[K]["schema"]>;
} & {
  role: "web" | "worker" | "all";
  environment: Readonly<Record<string, string | undefined>>;
};

/**
 * Reads the settings from the environment and the command line (`--role web|worker|all`).
 * @throws SettingsError for a bad value, an unknown BOTTEGA_* name, or failpoints in production
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Settings {
  const entries = Object.entries(settingsTable) as [keyof typeof settingsTable, Setting][];
  const names = new Set(entries.map(([, setting]) => setting.name));
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith("BOTTEGA_") && !names.has(name),
  );
  if (unknown)
    throw new SettingsError(
      `${unknown} is not a setting of Bottega. The settings are: ${[...names].join(", ")}.`,
    );
  const read = entries.map(([key, setting]) => {
    const given = environment[setting.name];
    const parsed = setting.schema.safeParse(given === "" ? undefined : given);
    if (parsed.success) return [key, parsed.data];
    const shown = setting.secret ? "its value" : `"${given}"`;
    throw new SettingsError(
      `${setting.name}: ${shown} can't be used, it ${parsed.error.issues[0]?.message ?? "is not valid"}.`,
    );
  });
  const settings = Object.fromEntries(read) as Omit<Settings, "role" | "environment">;
  if (settings.failpoints && environment.NODE_ENV === "production")
    throw new SettingsError(
      "BOTTEGA_FAILPOINTS makes the server fail on purpose for tests. It is refused with NODE_ENV=production.",
    );
  return { ...settings, role: readRole(args), environment };
}

function readRole(args: readonly string[]): Settings["role"] {
  const rest = args.filter((arg) => arg !== "serve");
  if (rest.length === 0) return "all";
  const [flag, role] = rest[0]?.includes("=") ? rest[0].split("=") : rest;
  if (flag === "--role" && (role === "web" || role === "worker" || role === "all")) return role;
  throw new SettingsError(
    `"${args.join(" ")}" is not understood. Use: serve --role web, worker or all; or help, for the commands.`,
  );
}
