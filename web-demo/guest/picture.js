// The picture of a dish, or a drawing in its place.

import { el } from '../shared/dom.js';

/** Drawings by where a dish is made; the names are those of the demo menu. */
const DRAWINGS = { noodle: 'bowl', cold: 'plate', fry: 'plate', grill: 'plate', bar: 'glass', dessert: 'sweet' };

/** Makes a picture. It says nothing to those who listen: the name stands beside it. */
export function picture({ imageUrl, station }) {
  const drawing = DRAWINGS[station] ?? 'plate';
  const frame = el('span', { class: 'picture', 'data-station': station });
  const placeholder = () => {
    frame.classList.add('is-placeholder');
    frame.replaceChildren(el('img', { src: `/assets/menu/placeholder-${drawing}.svg`, alt: '' }));
  };
  if (imageUrl) {
    const image = { src: imageUrl, alt: '', loading: 'lazy', decoding: 'async', onerror: placeholder };
    frame.append(el('img', image));
  } else {
    placeholder();
  }
  return frame;
}
