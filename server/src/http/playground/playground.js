// GraphiQL with a fetcher of our own and a key that lives in this module and nowhere else: no storage, no address, no
// form that a browser would fill in again. A reload forgets it.

const { operations, checkKey } = JSON.parse(document.getElementById('operations').textContent);
const lang = document.documentElement.lang === 'ja' ? 'ja' : 'en';
const text = {
  en: {
    label: 'Staff or integrator key',
    use: 'Use',
    forget: 'Forget the key',
    ask: 'The schema needs no key. A key stays in this page, until it is closed.',
    checking: 'Checking the key …',
    works: (shop, key) => `${shop}, with the key ${key}`,
    noKey: 'This is no key: it begins with mo_live_ or mo_test_.',
    noAnswer: 'The server does not answer.',
    closed: 'The connection was closed. Run the subscription again.',
  },
  ja: {
    label: 'スタッフまたは連携用のキー',
    use: '使う',
    forget: 'キーを忘れる',
    ask: 'スキーマはキーなしで読めます。キーはこのページの中だけにあり、閉じると消えます。',
    checking: 'キーを確認しています…',
    works: (shop, key) => `${shop}（キー ${key}）`,
    noKey: 'キーではありません。キーは mo_live_ か mo_test_ で始まります。',
    noAnswer: 'サーバーの応答がありません。',
    closed: '接続が切れました。もう一度実行してください。',
  },
}[lang];

let key = null;

// ---- talking to the server

/** Runs what GraphiQL asks for: subscriptions over the socket, everything else by POST. */
function fetcher({ query, variables, operationName }) {
  // GraphiQL knows which operations a text has a moment later than the text: right after a tab was changed the name and
  // the parsed document that it hands over are those of the tab before
  const found = operationsIn(query);
  const chosen = found.find(({ name }) => name === operationName) ?? found[0];
  const params = { query, variables, operationName: chosen?.name };
  return chosen?.kind === 'subscription' ? watch(params) : send(params, key).then(learn);
}

/** Finds the operations of a document; `{ shop { name } }` has a kind of its own, none. */
function operationsIn(document) {
  const bare = document.replace(/"""[^]*?"""|"(?:\\.|[^"\\\n])*"|#.*/g, ' ');
  const found = [];
  let depth = 0;
  for (const [token, kind, name] of bare.matchAll(/[{(]|[)}]|\b(query|mutation|subscription)\b(?:\s+(\w+))?/g)) {
    if (token === '{' || token === '(') depth += 1;
    else if (token === '}' || token === ')') depth -= 1;
    else if (depth === 0) found.push({ kind, name });
  }
  return found;
}

/** Answers the body, whatever the status: the server says there what was wrong. */
async function send(params, key) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (key) headers.Authorization = `Bearer ${key}`;
  const request = { method: 'POST', headers, body: JSON.stringify(params), cache: 'no-store' };
  const response = await fetch('/graphql', request).catch(() => null);
  if (!response) return failed(text.noAnswer);
  const answer = await response.json().catch(() => null);
  return answer ?? failed(`${text.noAnswer} (${response.status})`);
}

/** Watches a subscription: graphql-transport-ws, one socket for each. */
function watch(params) {
  return {
    subscribe(observer) {
      const address = new URL('/graphql/ws', location.href);
      address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
      const socket = new WebSocket(address, 'graphql-transport-ws');
      const say = (message) => socket.send(JSON.stringify(message));
      let over = false;
      const end = (error) => {
        if (over) return;
        over = true;
        if (error) observer.next(failed(error));
        observer.complete();
        socket.close();
      };
      socket.onopen = () => say({ type: 'connection_init', payload: key ? { Authorization: `Bearer ${key}` } : {} });
      socket.onmessage = ({ data }) => {
        if (over) return;
        const message = JSON.parse(data);
        if (message.type === 'connection_ack') say({ id: '1', type: 'subscribe', payload: params });
        else if (message.type === 'ping') say({ type: 'pong' });
        else if (message.type === 'next') observer.next(message.payload);
        else if (message.type === 'error') {
          observer.next({ errors: message.payload });
          end();
        } else if (message.type === 'complete') end();
      };
      // the reason is the server's: why a key is not taken, or that it is shutting down
      socket.onclose = ({ reason }) => end(reason || text.closed);
      return {
        unsubscribe() {
          over = true;
          socket.close();
        },
      };
    },
  };
}

function failed(message) {
  return { errors: [{ message }] };
}

// ---- GraphiQL

/** Everything that GraphiQL would like to keep, kept for as long as the page is open. */
const kept = new Map();
const storage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, String(value)),
  removeItem: (name) => void kept.delete(name),
  clear: () => kept.clear(),
  get length() {
    return kept.size;
  },
};

/** What stands in <angle brackets> in the variables, as soon as it is known. */
const known = { requestId: uuid() };

function uuid() {
  // crypto.randomUUID is for secure contexts only, and a restaurant's own network rarely is one
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function fill(variables) {
  return variables.replace(/<(\w+)>/g, (whole, name) => (name === 'new' ? uuid() : known[name]) ?? whole);
}

/** Leaves the comments of the reader's language. */
function inReadersLanguage(document) {
  const lines = document.split('\n').filter((line) => !/^# (en|ja): /.test(line) || line.startsWith(`# ${lang}: `));
  return lines.map((line) => line.replace(/^# (en|ja): /, '# ')).join('\n');
}

/** The editor of the variables, which belongs to the tab in front. */
let variablesEditor = null;

function fillVariables() {
  const written = variablesEditor?.getValue() ?? '';
  const filled = fill(written);
  if (filled !== written) variablesEditor.setValue(filled);
}

/** An answer may hold what a prepared operation waits for. */
function learn(answer) {
  const opened = answer.data?.openTableSession?.tableSession?.id;
  if (opened) known.tableSessionId = opened;
  return answer;
}

const place = document.getElementById('graphiql');
new MutationObserver((_, observer) => {
  const editor = place.querySelector('.graphiql-editor-tool .CodeMirror')?.CodeMirror;
  if (!editor) return;
  observer.disconnect();
  variablesEditor = editor;
  editor.on('change', fillVariables);
  fillVariables();
}).observe(place, { childList: true, subtree: true });

const tabs = operations.map(({ query, variables }) => ({ query: inReadersLanguage(query), variables }));
// the tab in front is shown from here
storage.setItem('graphiql:variables', tabs[0].variables);
ReactDOM.createRoot(place).render(
  React.createElement(GraphiQL, {
    fetcher,
    storage,
    defaultTabs: tabs,
    defaultEditorToolsVisibility: 'variables',
    isHeadersEditorEnabled: false,
    shouldPersistHeaders: false,
  }),
);

// ---- the key

const byId = (id) => document.getElementById(id);
const [form, input, forget, status] = ['key-form', 'key', 'forget', 'status'].map(byId);

function say(words, isError = false) {
  status.textContent = words;
  status.classList.toggle('error', isError);
}

/** Takes a key as people copy it: bare, or as the whole header. */
async function take(pasted) {
  const candidate = pasted.trim().replace(/^Authorization:\s*/i, '').replace(/^Bearer\s+/i, '');
  if (!/^mo_(live|test)_[\x21-\x7e]*$/.test(candidate)) return say(text.noKey, true);
  say(text.checking);
  const { data, errors } = await send({ query: checkKey }, candidate);
  if (!data?.shop) return say(errors?.[0]?.message ?? text.noAnswer, true);
  key = candidate;
  input.value = '';
  form.hidden = true;
  forget.hidden = false;
  say(text.works(data.shop.name, `${key.slice(0, 8)}…${key.slice(-4)}`));
  const items = data.menu?.sections.flatMap((section) => section.items) ?? [];
  const simple = items.find((i) => i.available && !i.soldOut && i.toppingGroups.every((group) => group.min === 0));
  known.menuItemId = simple?.id;
  fillVariables();
}

form.querySelector('label').textContent = text.label;
byId('use').textContent = text.use;
forget.textContent = text.forget;
say(text.ask);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  take(input.value);
});
forget.addEventListener('click', () => {
  key = null;
  form.hidden = false;
  forget.hidden = true;
  say(text.ask);
  input.focus();
});
