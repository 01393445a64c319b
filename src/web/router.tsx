import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from "@tanstack/react-router";
import type { ScreenName } from "#contract/screens.ts";
import { NotFoundScreen } from "./frame/not-found-screen.tsx";
import { loadScreen, screenExport } from "./screen-modules.ts";
import { ScreenBoundary, ShellBoundary } from "./shell/boundary.tsx";
import { Root } from "./shell/root.tsx";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The screen whose facts in contract/screens.ts hold for the route. */
    screen?: ScreenName;
  }
  interface Register {
    router: AppRouter;
  }
}

/** What an address may carry beside its path; every value is text. See use-search-value.ts. */
type AppSearch = { [key: string]: string | undefined };

const rootRoute = createRootRoute({
  component: Root,
  errorComponent: ShellBoundary,
  notFoundComponent: NotFoundScreen,
  validateSearch: (search: Record<string, unknown>): AppSearch =>
    Object.fromEntries(
      Object.entries(search).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)]],
      ),
    ),
});
const getParentRoute = () => rootRoute;
/** Component and facts of a screen's route; its code comes when the address is opened, or its link hovered. */
const of = (screen: ScreenName) => ({
  component: lazyRouteComponent(() => loadScreen(screen), screenExport(screen)),
  staticData: { screen },
});

// A detail below a list has no component of its own: the list's screen reads the parameter (useParams({ strict: false })), so
// going from one to the other keeps the screen with its scroll place and its stream.
const setup = createRoute({ getParentRoute, path: "/setup", ...of("setup") });
const join = createRoute({ getParentRoute, path: "/join/$token", ...of("join") });
const login = createRoute({ getParentRoute, path: "/login", ...of("login") });
const home = createRoute({ getParentRoute, path: "/", ...of("home") });
const chat = createRoute({ getParentRoute, path: "/chat", ...of("chat") });
const conversation = createRoute({
  getParentRoute: () => chat,
  path: "/$id",
  staticData: { screen: "chat" },
});
const create = createRoute({ getParentRoute, path: "/create", ...of("create") });
const draw = createRoute({ getParentRoute, path: "/draw", ...of("draw") });
const library = createRoute({ getParentRoute, path: "/library", ...of("library") });
const asset = createRoute({
  getParentRoute: () => library,
  path: "/$assetId",
  staticData: { screen: "library" },
});
const activity = createRoute({ getParentRoute, path: "/activity", ...of("activity") });
const run = createRoute({
  getParentRoute: () => activity,
  path: "/$runId",
  staticData: { screen: "activity" },
});
const models = createRoute({ getParentRoute, path: "/models", ...of("models") });
const model = createRoute({
  getParentRoute: () => models,
  path: "/$",
  staticData: { screen: "models" },
});
const usage = createRoute({ getParentRoute, path: "/usage", ...of("usage") });
const docs = createRoute({ getParentRoute, path: "/docs", ...of("docs") });
const project = createRoute({ getParentRoute, path: "/projects/$id", ...of("project") });
const settings = createRoute({ getParentRoute, path: "/settings", ...of("settings") });
const settingsSection = createRoute({
  getParentRoute: () => settings,
  path: "/$section",
  staticData: { screen: "settings" },
});
const admin = createRoute({ getParentRoute, path: "/admin", ...of("admin") });
const adminSection = createRoute({
  getParentRoute: () => admin,
  path: "/$section",
  staticData: { screen: "admin" },
});

const routes = [
  setup,
  join,
  login,
  home,
  chat.addChildren([conversation]),
  create,
  draw,
  library.addChildren([asset]),
  activity.addChildren([run]),
  models.addChildren([model]),
  usage,
  docs,
  project,
  settings.addChildren([settingsSection]),
  admin.addChildren([adminSection]),
] as const;

/** The addresses of the program. */
export function createAppRouter() {
  const routeTree = rootRoute.addChildren(routes);
  return createRouter({
    routeTree,
    defaultErrorComponent: ScreenBoundary,
    defaultNotFoundComponent: NotFoundScreen,
    defaultPreload: "intent",
    scrollRestoration: true,
    // Values stay the text they are: "007" is no number.
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
  });
}
export type AppRouter = ReturnType<typeof createAppRouter>;
