// The SDK in a page that dies in the middle of a submission, at every point at which it touches the world outside, and is opened
// again: one ticket, and the right word. `cargo xtask soak tabs` runs more deaths.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';
import { resetAfter, resetBefore, through } from './network.mjs';
import { sdkTests } from './sdk.mjs';

const DEATHS = Number(process.env.SDK_DEATHS ?? 10);

const sdkTest = sdkTests({ tables: DEATHS });

/**
 * Runs in the page: at its nth touch of the world outside its life ends. `before`: the nth is the first that does not happen.
 * Either nothing that the page does leaves it any more, or, with `stops`, it stands still there, and the test kills its process.
 */
function mortal() {
  const life = { touches: 0, dies: Infinity, before: true, stops: false, dead: false, heard: false, told: false };
  window.life = life;
  const never = new Promise(() => {});
  const end = () => {
    if (life.stops) debugger;
    life.dead = true;
  };
  /** Does something outside, unless the page is dead. */
  const touch = (act, otherwise) => {
    if (life.dead) return otherwise;
    life.touches += 1;
    const last = life.touches === life.dies;
    if (last && life.before) {
      end();
      return otherwise;
    }
    const done = act();
    if (last) end();
    return done;
  };
  for (const name of ['setItem', 'removeItem']) {
    const real = Storage.prototype[name];
    Storage.prototype[name] = function (...given) {
      return touch(() => real.apply(this, given), undefined);
    };
  }
  const { fetch } = window;
  window.fetch = (...given) => touch(() => fetch(...given), never);
  const { json } = Response.prototype;
  const hear = (answer) => {
    life.heard ||= /"OrderPlaced"|"PLACED"/.test(JSON.stringify(answer)) && 'placed';
    return answer;
  };
  Response.prototype.json = function () {
    return touch(() => json.call(this).then(hear), never);
  };
  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = function (word) {
    return touch(() => postMessage.call(this, word), undefined);
  };
}

/** Touches of a submission that goes well: its slot and its key, the request and its answer, the slot, the cart and the next key. */
const TOUCHES = 9;
const FAULTS = [through, resetAfter, resetBefore, through, resetAfter];

/** Kills a process, unless it has just ended. */
function kill(id) {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Confirms, and answers what the page was told by the time when it ends as `life` says. */
async function liveUntil(phone, life) {
  await phone.page.evaluate((life) => {
    Object.assign(window.life, { touches: 0, ...life });
    window.cart.submit().then((outcome) => (window.life.told = outcome.kind));
  }, life);
  await phone.page.waitForFunction(() => window.life.dead || window.life.told);
  // whatever can still come of it in this page has come
  await phone.page.evaluate(() => new Promise((later) => setTimeout(later, 20)));
  return phone.page.evaluate(() => window.life.told);
}

/**
 * The same with a page whose process the system kills: nothing of it goes on, not even to its next line. Answers what the page had
 * heard by then, and would have told.
 */
async function liveUntilKilled(phone, life) {
  const session = await phone.page.context().newCDPSession(phone.page);
  await session.send('Debugger.enable');
  const halted = new Promise((paused) => session.once('Debugger.paused', paused));
  const heard = async () => (await session.send('Runtime.evaluate', { expression: 'life.heard' })).result.value;
  const over = liveUntil(phone, { ...life, stops: true }).catch(() => false);
  const knows = await Promise.race([halted.then(heard), over]);
  const crashed = phone.page.waitForEvent('crash');
  const browser = await phone.page.context().browser().newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  };
  // beside this page's only such as wait for a page
  const killed = await renderers();
  for (const id of killed) kill(id);
  await crashed;
  await until('the browser has noticed', async () => !(await renderers()).some((id) => killed.includes(id)));
  await browser.detach();
  return knows;
}

for (let death = 0; death < DEATHS; death += 1) {
  // few deaths are spread over all points, each of them in both ways
  const point = (Math.floor(death / 2) * 7) % (TOUCHES * 2 * FAULTS.length);
  const dies = 1 + (point % TOUCHES);
  const before = Math.floor(point / TOUCHES) % 2 === 0;
  const fault = FAULTS[Math.floor(point / TOUCHES / 2) % FAULTS.length];
  const [how, live] = death % 2 ? ['killed', liveUntilKilled] : ['cut off', liveUntil];
  const when = `${before ? 'before' : 'after'} touch ${dies}, ${fault.name}`;
  /** AC-147, for a page that dies instead of being reloaded. */
  sdkTest(`a page that is ${how} ${when} leaves one ticket and the right word (${death})`, async ({ network, open, tickets }) => {
    const phone = await open({ prepare: mortal });
    await phone.add();
    network.next = [fault];
    const known = await live(phone, { dies, before });
    const next = await phone.another();
    await phone.page.close();
    await next.open();
    const resumed = await next.resume();
    const { lines } = await next.state();
    if (resumed === null && lines.length === 0) {
      assert.equal(known, 'placed', 'who finds nothing open was told before, or just about to be');
    } else {
      const outcome = resumed ?? (await next.submit());
      assert.equal(outcome.kind, 'placed', JSON.stringify(outcome));
      assert.equal(outcome.order.requestId, network.requestIds.at(-1));
    }
    const { phase, locked, lines: left } = await next.state();
    assert.deepEqual([['done', 'idle'].includes(phase), locked, left], [true, false, []]);
    assert.equal((await tickets()).length, 1);
  });
}
