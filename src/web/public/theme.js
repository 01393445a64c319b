// Runs before the first paint, for the policy allows no inline script: the theme and density of the device, without a flash.
(() => {
  const root = document.documentElement;
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem("bottega:appearance") ?? "{}");
  } catch {
    // A full or forbidden store means the system's theme.
  }
  const isDark =
    stored.theme === "dark" ||
    (stored.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "dark" : "light";
  if (stored.density === "compact") root.dataset.density = "compact";
})();
