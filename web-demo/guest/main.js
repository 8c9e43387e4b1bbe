// The guest's page: who sits here, then the table.

import { fill } from '../shared/dom.js';
import { onLanguage } from '../shared/lang.js';
import * as credentials from './credentials.js';
import { installable } from './install.js';
import * as kept from './kept.js';
import { notice } from './notice.js';
import { tablePage } from './table.js';

const app = document.getElementById('app');
let page = null;
let telling = null;

/** A browser that can not even load the SDK still shows the menu. */
const sdk = Promise.all([import('/sdk/masterorder.js'), import('/sdk/offline.js')]).then(
  ([{ createClient }, { waitForNetwork }]) => ({ createClient, waitForNetwork }),
  () => null,
);

async function open() {
  const loaded = await sdk;
  const found = credentials.find();
  page?.close();
  page = null;
  telling = null;
  if (!found) return tell('welcome');
  page = tablePage({ credentials: found, sdk: loaded, onLeave: (why) => leave(found, why) });
  fill(app, page.element);
}

/** @param {'paid' | 'unknownTable'} why */
function leave(found, why) {
  credentials.forget(found);
  kept.forget(found);
  page?.close();
  page = null;
  tell(why);
}

function tell(why) {
  telling = notice(why);
  telling.show();
  fill(app, telling.element);
  telling.focus();
}

onLanguage(() => telling?.show());
// a new link, opened where the page is open already
addEventListener('hashchange', () => credentials.inLink() && open());
open();
installable();
