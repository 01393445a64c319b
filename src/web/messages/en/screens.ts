/** The names of the screens, in the rail, the palette and the window's title. */
export const screens = {
  "screen.setup": "Set up",
  "screen.join": "Join",
  "screen.login": "Sign in",
  "screen.home": "Home",
  "screen.chat": "Chat",
  "screen.create": "Create",
  "screen.draw": "Draw",
  "screen.library": "Library",
  "screen.activity": "Activity",
  "screen.models": "Models",
  "screen.usage": "Usage",
  "screen.docs": "API reference",
  "screen.project": "Project",
  "screen.settings": "Settings",
  "screen.admin": "Admin",
  "screen.notFound": "Not found",
} as const;
