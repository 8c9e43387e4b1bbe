// The chime of a new order. A browser makes no sound before the page was touched, hence the one "start" tap.

/** *Units*: Hz. A fifth upwards: heard through a kitchen, and no alarm. */
const NOTES = [784, 1175];
const NOTE_S = 0.16;
const FADE_S = 0.5;

let context = null;
let on = false;

/** The chime is switched on. */
export function isOn() {
  return on;
}

/** Switches the chime on. Call it in the handler of a tap. */
export function start() {
  on = true;
  context ??= new AudioContext();
  context.resume();
  chime();
  stayAwake();
}

/** Switches the chime off. */
export function stop() {
  on = false;
}

/** Plays the chime if it is on. */
export function chime() {
  if (!on || !context) return;
  // a tablet that slept has stopped it
  context.resume();
  NOTES.forEach((frequency, i) => {
    const at = context.currentTime + 0.02 + i * NOTE_S;
    const tone = new OscillatorNode(context, { type: 'triangle', frequency });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.5, at + 0.015);
    volume.gain.exponentialRampToValueAtTime(0.001, at + FADE_S);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + FADE_S);
  });
}

/** Keeps the screen on where the browser can; it lets go whenever the page is hidden. */
async function stayAwake() {
  try {
    await navigator.wakeLock?.request('screen');
  } catch {
    // low battery, or no secure context: the device's own settings decide
  }
}

document.addEventListener('visibilitychange', () => {
  if (on && document.visibilityState === 'visible') stayAwake();
});
