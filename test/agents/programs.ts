/** A published coding agent with one model, run once and non-interactively. */
export type Agent = {
  name: string;
  /** Its npm package, installed in its newest version. */
  package: string;
  /**
   * The package's script that chooses the program for this machine, if it has one, because npm runs
   * no scripts here.
   */
  prepare?: string;
  /** The executable in the installed packages' program folder. */
  command: string;
  /** The call with which it reads a file. */
  read: { name: string; input: object };
  args(asked: Asked): string[];
  env(asked: Asked): Record<string, string>;
  /** The files of its home folder, by path. */
  files(asked: Asked): Record<string, string>;
};
export type Asked = { url: string; key: string; model: string; question: string };

const command = "cat note.txt";

export const agents: readonly Agent[] = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    prepare: "install.cjs",
    command: "claude",
    read: { name: "Bash", input: { command, description: "Read the note" } },
    args: ({ question }) => ["-p", question, "--allowedTools", "Bash"],
    env: ({ url, key, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    }),
    files: () => ({}),
  },
  {
    name: "Codex",
    package: "@openai/codex",
    command: "codex",
    read: { name: "exec_command", input: { cmd: command } },
    args: ({ question }) => [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      question,
    ],
    env: ({ key }) => ({ BOTTEGA_KEY: key }),
    files: ({ url, model }) => ({
      ".codex/config.toml": [
        `model = "${model}"`,
        'model_provider = "bottega"',
        "[model_providers.bottega]",
        'name = "Bottega"',
        `base_url = "${url}/v1"`,
        'env_key = "BOTTEGA_KEY"',
        'wire_api = "responses"',
        "",
      ].join("\n"),
    }),
  },
  {
    name: "Qwen Code",
    package: "@qwen-code/qwen-code",
    command: "qwen",
    read: {
      name: "run_shell_command",
      // Its terminal loses the output of a command that ends immediately.
      input: { command: `${command}; sleep 1`, description: "Read the note", is_background: false },
    },
    args: ({ question }) => ["--yolo", "--auth-type", "openai", "-p", question],
    env: ({ url, key, model }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model,
    }),
    files: () => ({}),
  },
  {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    command: "pi",
    read: { name: "bash", input: { command } },
    args: ({ model, question }) => ["-p", "--provider", "bottega", "--model", model, question],
    env: () => ({}),
    files: ({ url, key, model }) => ({
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          bottega: {
            baseUrl: `${url}/v1`,
            apiKey: key,
            api: "openai-completions",
            models: [
              {
                id: model,
                name: model,
                reasoning: false,
                input: ["text"],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 100_000,
                maxTokens: 4_000,
              },
            ],
          },
        },
      }),
    }),
  },
  {
    name: "opencode",
    package: "opencode-ai",
    prepare: "postinstall.mjs",
    command: "opencode",
    read: { name: "bash", input: { command, description: "Read the note" } },
    args: ({ model, question }) => ["run", "--title", "a note", "-m", `bottega/${model}`, question],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
    files: ({ url, key, model }) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        provider: {
          bottega: {
            npm: "@ai-sdk/openai-compatible",
            name: "Bottega",
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { [model]: { name: model } },
          },
        },
      }),
    }),
  },
  {
    name: "cn",
    package: "@continuedev/cli",
    command: "cn",
    read: { name: "Bash", input: { command } },
    args: ({ question }) => ["-p", "--auto", "--config", "continue.yaml", question],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: "0" }),
    files: ({ url, key, model }) => ({
      "continue.yaml": JSON.stringify({
        name: "Bottega",
        version: "1.0.0",
        schema: "v1",
        models: [
          {
            name: "Bottega",
            provider: "openai",
            model,
            apiBase: `${url}/v1`,
            apiKey: key,
            roles: ["chat"],
            capabilities: ["tool_use"],
          },
        ],
      }),
    }),
  },
];
