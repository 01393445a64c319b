// Applies the theme and density of the device before the first paint, because the CSP allows no inline script.
(() => {
  const root = document.documentElement;
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem("bottega:appearance") ?? "{}");
  } catch {
    // If storage is full or blocked, the system's theme applies.
  }
  const isDark =
    stored.theme === "dark" ||
    (stored.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "dark" : "light";
  if (stored.density === "compact") root.dataset.density = "compact";
})();
