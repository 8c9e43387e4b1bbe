// What waits, written down beside the client's own for all tabs of a table session; in this page where storage is denied or full.

/** Form of the record. One of another version is none that this SDK can read. */
const VERSION = 1;

/** Records of this page alone, by key: a client that is opened anew finds them. */
const memory = new Map();

/** Who listens in this page: the browser tells other tabs only. */
const listeners = new Set();

function parse(text) {
  try {
    const record = JSON.parse(text);
    return record.version === VERSION ? record : null;
  } catch {
    return null;
  }
}

const isSound = (record) =>
  typeof record.id === "string" && Number.isFinite(record.at) && typeof record.note === "string" && Array.isArray(record.lines);

/**
 * Keeps the record of a key.
 *
 * @param {Storage | null} storage shared by all tabs
 * @param {(ended?: { id: string, outcome: object }) => void} hear something was written elsewhere; `ended`: what came of what waited
 */
export function keeper(key, storage, hear) {
  const told = (text) => {
    const word = parse(text);
    hear(word?.outcome ? word : undefined);
  };
  const listener = { key, told };
  const heard = ({ key: written, newValue }) => (written === key || written === null) && told(newValue);

  function tell(text) {
    for (const other of listeners) if (other !== listener && other.key === key) queueMicrotask(() => other.told(text));
  }

  /** In the browser's storage if it takes it. */
  function set(text) {
    memory.delete(key);
    try {
      storage.setItem(key, text);
    } catch {
      remove();
      memory.set(key, text);
    }
    tell(text);
  }

  function remove() {
    memory.delete(key);
    try {
      storage.removeItem(key);
    } catch {
      // what can not be deleted could not be read either
    }
  }

  listeners.add(listener);
  window.addEventListener("storage", heard);

  return {
    read() {
      let text = memory.get(key);
      try {
        text ??= storage.getItem(key);
      } catch {
        // denied
      }
      const record = parse(text ?? null);
      return record && isSound(record) ? record : null;
    },
    write: (record) => set(JSON.stringify({ version: VERSION, ...record })),
    /** Deletes it, whatever came of it. */
    forget() {
      remove();
      tell(null);
    },
    /** Deletes it and tells everybody what came of it: a word that is deleted at once is heard all the same, and in its order. */
    end(id, outcome) {
      // a question can not travel with its answers: whoever waits for it asks the client, which has it in its slot
      const isQuestion = outcome.kind === "possibleDuplicate";
      set(JSON.stringify({ version: VERSION, id, outcome: isQuestion ? undefined : outcome }));
      remove();
    },
    close() {
      listeners.delete(listener);
      window.removeEventListener("storage", heard);
    },
  };
}
