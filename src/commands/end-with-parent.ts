/**
 * A command that a server started ends with it, kill -9 included: its channel closes. What it was writing is unfinished, and the next
 * server begins again. Started by a person it has no channel.
 */
export function endWithParent(): void {
  const end = () => process.kill(process.pid, "SIGTERM");
  // It may have ended while this was loaded.
  if (process.send && !process.connected) end();
  process.once("disconnect", end);
  process.channel?.unref();
}
