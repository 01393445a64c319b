/** Preloaded into the server (`--import`): when the launcher is gone without a word, kill -9 included, its channel closes and the server stops as on SIGTERM. */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
