// How to scroll: gently, unless the guest has asked for calm.

/** As `scrollTo` and `scrollIntoView` want it. */
export function behavior() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
}
