// Mermaid waits for animation frames, which browsers don't run in hidden frames. Must load before
// Mermaid.
window.requestAnimationFrame = (callback) =>
  window.setTimeout(() => callback(performance.now()), 0);
