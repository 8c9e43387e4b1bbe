// What can be tried. The names are stable: tests and the stylesheet know them.

/**
 * `run` does everything by itself; `arm` breaks the next answer once, and the guest's own thumb does the rest.
 *
 * @type {{ id: string, kind: 'run' | 'arm' }[]}
 */
export const EXPERIMENTS = [
  { id: 'ten-taps', kind: 'run' },
  { id: 'reload', kind: 'run' },
  { id: 'new-keys', kind: 'run' },
  { id: 'lose-answer', kind: 'arm' },
  { id: 'gateway-502', kind: 'arm' },
  { id: 'late-answer', kind: 'arm' },
  { id: 'cut-answer', kind: 'arm' },
];
