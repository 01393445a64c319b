/**
 * Preloaded into the server (`--import`): if the launcher dies in any way, kill -9 included, its
 * channel closes and the server stops as on SIGTERM.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
