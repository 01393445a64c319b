import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from "@tanstack/react-router";
import { type ScreenName, screens } from "#contract/screens.ts";
import { loadOptional } from "./data/page/stale-page.ts";
import { NotFoundScreen } from "./frame/not-found-screen.tsx";
import { loadScreen, screenExport } from "./screen-modules.ts";
import { ScreenBoundary, ShellBoundary } from "./shell/boundary.tsx";
import { Root } from "./shell/root.tsx";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The screen whose facts in contract/screens.ts apply to the route. */
    screen?: ScreenName;
  }
  interface Register {
    router: AppRouter;
  }
}

/** The search parameters of an address; every value is text. See use-search-value.ts. */
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
/** A screen's route. Its code loads when the address is opened or its link is hovered. */
const screenRoute = <Name extends ScreenName>(screen: Name) =>
  createRoute({
    getParentRoute,
    path: screens[screen].paths[0] as (typeof screens)[Name]["paths"][0],
    component: lazyRouteComponent(() => loadScreen(screen), screenExport(screen)),
    staticData: { screen },
  });

type Below<List extends string, Detail extends string> = Detail extends `${List}${infer Rest}`
  ? Rest
  : never;
/** "/$id" of "/chat" and "/chat/$id". */
const below = <const List extends string, const Detail extends string>([list, detail]: readonly [
  List,
  Detail,
]) => detail.slice(list.length) as Below<List, Detail>;

// A detail route has no component of its own. The list's screen reads the parameter (useParams({
// strict: false })), so that switching between them keeps the screen with its scroll position and
// its stream.
const chat = screenRoute("chat");
const conversation = createRoute({
  getParentRoute: () => chat,
  path: below(screens.chat.paths),
  staticData: { screen: "chat" },
});
const library = screenRoute("library");
const asset = createRoute({
  getParentRoute: () => library,
  path: below(screens.library.paths),
  staticData: { screen: "library" },
});
const compare = screenRoute("compare");
const comparison = createRoute({
  getParentRoute: () => compare,
  path: below(screens.compare.paths),
  staticData: { screen: "compare" },
});
const activity = screenRoute("activity");
const run = createRoute({
  getParentRoute: () => activity,
  path: below(screens.activity.paths),
  staticData: { screen: "activity" },
});
const models = screenRoute("models");
const model = createRoute({
  getParentRoute: () => models,
  path: below(screens.models.paths),
  staticData: { screen: "models" },
});
const settings = screenRoute("settings");
const settingsSection = createRoute({
  getParentRoute: () => settings,
  path: below(screens.settings.paths),
  staticData: { screen: "settings" },
});
const admin = screenRoute("admin");
const adminSection = createRoute({
  getParentRoute: () => admin,
  path: below(screens.admin.paths),
  staticData: { screen: "admin" },
});

/** A screen without a route doesn't compile. */
const routes = {
  setup: screenRoute("setup"),
  join: screenRoute("join"),
  login: screenRoute("login"),
  home: screenRoute("home"),
  chat: chat.addChildren([conversation]),
  create: screenRoute("create"),
  draw: screenRoute("draw"),
  library: library.addChildren([asset]),
  compare: compare.addChildren([comparison]),
  activity: activity.addChildren([run]),
  models: models.addChildren([model]),
  usage: screenRoute("usage"),
  docs: screenRoute("docs"),
  project: screenRoute("project"),
  settings: settings.addChildren([settingsSection]),
  admin: admin.addChildren([adminSection]),
} satisfies Record<ScreenName, unknown>;

/** Creates the router with the app's addresses. */
export function createAppRouter() {
  const routeTree = rootRoute.addChildren(routes);
  const router = createRouter({
    routeTree,
    defaultErrorComponent: ScreenBoundary,
    defaultNotFoundComponent: NotFoundScreen,
    defaultPreload: "intent",
    scrollRestoration: true,
    // Values stay text: "007" isn't a number.
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
  });
  const { preloadRoute } = router;
  // Hovering a link on a stale page must not reload it, because that would abort an upload. Opening
  // the link may.
  router.preloadRoute = async (options) => {
    const { href } = router.latestLocation;
    const isOpened = () => router.latestLocation.href !== href;
    return (await loadOptional(() => preloadRoute(options), isOpened)) ?? undefined;
  };
  return router;
}
export type AppRouter = ReturnType<typeof createAppRouter>;
