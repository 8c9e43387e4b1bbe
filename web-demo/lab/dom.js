// Small things that the panel's parts share: drawings in lines of the text's colour, and quiet writing.

const SVG = 'http://www.w3.org/2000/svg';
const PATHS = {
  reset: 'M4 5v5h5M4.6 14a8 8 0 1 0 .6-7.4L4 10',
  chevron: 'M6 9.5l6 6 6-6',
  close: 'M6 6l12 12M18 6L6 18',
};

/** Draws one, for the eye only. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'lab-icon');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** Writes only what is new: a live region speaks, and a selection is lost, at every writing. */
export function say(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}
