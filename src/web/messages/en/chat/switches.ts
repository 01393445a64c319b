/** Messages of the tool switches, which are in the composer from the start. */
export const switches = {
  "chat.tools": "Tools",
  "chat.switch.library": "Library",
  "chat.switch.library.hint": "The model can search and read the files you see here.",
  "chat.switch.pictures": "Pictures",
  "chat.switch.pictures.asks": "{name} makes pictures, {price} each. It asks before each use.",
  "chat.switch.pictures.allowed": "{name} makes pictures without asking, {price} each.",
  "chat.switch.pictures.free": "{name} makes pictures for free.",
  "chat.switch.webSearch": "Web search",
  "chat.switch.webSearch.hint":
    "The model searches the web and lists its sources. One search: {price}.",
  "chat.switch.fileSearch": "File search",
  "chat.switch.fileSearch.hint":
    "The model searches the attached documents at OpenAI, which stores copies for a day. One search: {price}.",
  "chat.switch.codeInterpreter": "Run code",
  "chat.switch.codeInterpreter.hint":
    "The model runs code at its provider. Files it makes are saved. One session: {price}.",
  "chat.switch.imageTool": "OpenAI pictures",
  "chat.switch.imageTool.hint":
    "The model makes square pictures at OpenAI without asking. One picture: {price}.",
  "chat.switch.models": "{count, plural, one {# model} other {# models}}",
  "chat.switch.none": "No connected model makes pictures. Connect a service that has one.",
  "chat.switch.asks": "asks first",
  "chat.switch.asksNot": "doesn’t ask",
  "chat.switch.server.asks":
    "{count, plural, one {# tool. It asks} other {# tools. They ask}} before each use.",
  "chat.switch.server.reads":
    "{count, plural, one {# tool. It asks} other {# tools. They ask}} before changing anything.",
  "chat.switch.server.allowed":
    "{count, plural, one {# tool} other {# tools}}. {allowed, number} can run without asking.",
  "chat.switch.cannot": "{name} can’t use tools. Choose another model to use them.",
  "chat.switch.more":
    "{count, plural, one {# more tool} other {# more tools}}{on, plural, =0 {} other {, # on}}",
  "chat.switch.on": "Turn on {name}",
  "chat.switch.off": "Turn off {name}",
  "chat.tools.full": "A conversation can have at most {most} tools. Remove one to add another.",
};
