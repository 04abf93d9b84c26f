// Elements, and the drawings among them. What comes from a pass is set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

/** Writes only what differs: screen readers read what is written again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Codes may have thousands of characters. */
export const shorten = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

/** Makes an element with a class, children and members. */
export function make(tag, className = "", children = [], members = {}) {
  const element = Object.assign(document.createElement(tag), members);
  if (className !== "") element.className = className;
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

/** Each verdict has a shape of its own, for people who cannot tell the colours apart. */
const DRAWINGS = {
  accepted: ["M50 4a46 46 0 1 0 0 92 46 46 0 0 0 0-92z", "M29 52l15 15 28-32"],
  rejected: ["M32 5h36l27 27v36L68 95H32L5 68V32z", "M35 35l30 30M65 35L35 65"],
  unchecked: ["M50 8L97 91H3z", "M50 38v24M50 76v1"],
  warning: ["M50 8L97 91H3z", "M50 38v24M50 76v1"],
};

export function drawing(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "drawing");
  for (const [at, line] of DRAWINGS[name].entries()) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", line);
    path.setAttribute("class", at === 0 ? "ground" : "sign");
    svg.append(path);
  }
  return svg;
}
