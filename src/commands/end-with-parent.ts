/**
 * A command that a server started ends with it, kill -9 included: its channel closes. What it was writing is unfinished, and the next
 * server begins again. Started by a person it has no channel.
 */
export function endWithParent(): void {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
