// Mermaid measures between frames, which a browser doesn't give to a frame that nobody sees. It must be here before Mermaid is.
window.requestAnimationFrame = (callback) =>
  window.setTimeout(() => callback(performance.now()), 0);
