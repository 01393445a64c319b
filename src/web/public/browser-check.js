// Plain syntax: in a browser too old for the app, only this script runs. See src/web/browsers.ts.
/* biome-ignore-all lint: browsers that are too old must be able to parse it */
(function () {
  var root = document.getElementById("root");
  var css = window.CSS && window.CSS.supports;
  var isNewEnough =
    "noModule" in document.createElement("script") &&
    typeof Array.prototype.toSorted === "function" &&
    css &&
    window.CSS.supports("color", "color-mix(in oklch, red, blue)") &&
    window.CSS.supports("selector(:has(*))");
  if (!root || isNewEnough) return;
  // main.tsx starts no app on a page with this mark.
  root.setAttribute("data-too-old", "");
  root.setAttribute("role", "main");
  root.style.cssText =
    "max-width: 520px; margin: 15vh auto; padding: 0 20px; font: 16px/1.5 system-ui, sans-serif";
  var title = document.createElement("h1");
  title.appendChild(document.createTextNode("This browser is too old for Bottega"));
  title.style.cssText = "font-size: 22px; line-height: 1.3";
  var text = document.createElement("p");
  text.appendChild(
    document.createTextNode(
      "Update it, or open this address in Chrome 111, Edge 111, Firefox 121, Safari 16.4 or later. Nothing was lost.",
    ),
  );
  root.appendChild(title);
  root.appendChild(text);
})();
