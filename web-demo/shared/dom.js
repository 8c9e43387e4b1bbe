// Elements in one expression. Text is always text: nothing that a guest wrote is ever read as markup.

/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} attributes `on…` takes a listener, `true` sets an attribute without a value; `false`,
 *   `null` and `undefined` leave it out
 * @param {...(Node | string | number | null | false | undefined)} children what is no node becomes text
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  return fill(element, ...children);
}

/** Puts children, as of `el`, in the place of an element's old ones. */
export function fill(element, ...children) {
  const there = children.filter((child) => child !== null && child !== false && child !== undefined && child !== '');
  element.replaceChildren(...there.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/**
 * Puts children into the given order. Only what is out of place is moved, because a moved element loses its focus.
 *
 * @param {Element} parent
 * @param {Element[]} children
 */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}
