/** Who may open a screen. The server checks each request; this only avoids dead ends. */
type Audience = "anyone" | "signed-in" | "admins";

export type ScreenFacts = {
  /** Paths in the router's syntax. The rail and the palette open the first. */
  paths: readonly string[];
  /** A message id of the browser app: the rail's name and the window's title. */
  title: string;
  audience: Audience;
  /** `bare` screens have no rail and no header. */
  frame: "shell" | "bare";
  /**
   * Where it is listed. `main` and `end` are the two parts of the rail; `phone` adds it to the
   * bottom bar.
   */
  nav?: { place: "main" | "end"; order: number; icon: string; phone: boolean };
  /** The two keys that open it from anywhere. */
  shortcut?: string;
};

/** Every screen. Its code is web/screens/<folder>/<name>-screen.tsx, which exports <Name>Screen. */
export const screens = {
  setup: { paths: ["/setup"], title: "screen.setup", audience: "anyone", frame: "bare" },
  join: { paths: ["/join/$token"], title: "screen.join", audience: "anyone", frame: "bare" },
  login: { paths: ["/login"], title: "screen.login", audience: "anyone", frame: "bare" },
  home: {
    paths: ["/"],
    title: "screen.home",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 1, icon: "house", phone: true },
    shortcut: "g h",
  },
  chat: {
    paths: ["/chat", "/chat/$id"],
    title: "screen.chat",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 2, icon: "message-circle", phone: true },
    shortcut: "g c",
  },
  create: {
    paths: ["/create"],
    title: "screen.create",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 3, icon: "wand-sparkles", phone: true },
    shortcut: "g m",
  },
  draw: {
    paths: ["/draw"],
    title: "screen.draw",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 4, icon: "brush", phone: false },
    shortcut: "g d",
  },
  library: {
    paths: ["/library", "/library/$assetId"],
    title: "screen.library",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 5, icon: "images", phone: true },
    shortcut: "g l",
  },
  compare: {
    paths: ["/compare", "/compare/$id"],
    title: "screen.compare",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 6, icon: "columns-2", phone: false },
    shortcut: "g p",
  },
  activity: {
    paths: ["/activity", "/activity/$runId"],
    title: "screen.activity",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 8, icon: "activity", phone: false },
    shortcut: "g a",
  },
  models: {
    paths: ["/models", "/models/$"],
    title: "screen.models",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "main", order: 9, icon: "boxes", phone: false },
    shortcut: "g o",
  },
  usage: {
    paths: ["/usage"],
    title: "screen.usage",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "end", order: 0, icon: "receipt", phone: false },
    shortcut: "g u",
  },
  docs: { paths: ["/docs"], title: "screen.docs", audience: "signed-in", frame: "shell" },
  project: {
    paths: ["/projects/$id"],
    title: "screen.project",
    audience: "signed-in",
    frame: "shell",
  },
  settings: {
    paths: ["/settings", "/settings/$section"],
    title: "screen.settings",
    audience: "signed-in",
    frame: "shell",
    nav: { place: "end", order: 2, icon: "settings-2", phone: false },
    shortcut: "g s",
  },
  admin: {
    paths: ["/admin", "/admin/$section"],
    title: "screen.admin",
    audience: "admins",
    frame: "shell",
    nav: { place: "end", order: 1, icon: "shield", phone: false },
  },
} as const satisfies Record<string, ScreenFacts>;

export type ScreenName = keyof typeof screens;
export const screenNames = Object.keys(screens) as ScreenName[];
