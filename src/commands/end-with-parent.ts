/**
 * Ends a command with the server that started it, kill -9 included, because its channel closes. The
 * unfinished work is repeated by the next server. A command started by a person has no channel.
 */
export function endWithParent(): void {
  const end = () => process.kill(process.pid, "SIGTERM");
  // The parent may have ended while this was loading.
  if (process.send && !process.connected) end();
  process.once("disconnect", end);
  process.channel?.unref();
}
