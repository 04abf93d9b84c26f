// What the page keeps in this browser, in IndexedDB: it survives a reload, a crash and an empty
// battery. A promise that is fulfilled means that the browser has the value.

const NAME = "billfold-scanner";
const VERSION = 1;

let opening;

/** The next one who asks tries again. */
const forgetConnection = () => {
  opening = undefined;
};

function open() {
  opening ??= connect().catch((error) => {
    forgetConnection();
    throw error;
  });
  return opening;
}

function connect() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const db = request.result;
      // Single values by name: the pairing, the settings of the device, the head of the list.
      db.createObjectStore("kept");
      // Scans that the service has not confirmed yet, in the order in which they were made.
      const outbox = db.createObjectStore("outbox", { keyPath: "id", autoIncrement: true });
      outbox.createIndex("reference", "reference", { unique: true });
      db.createObjectStore("history", { keyPath: "reference" });
      // Parts of the gate list, by the version of the list and the start of the codes in it.
      db.createObjectStore("codes");
      // Passes that were let in here, so that they are not let in twice without a network: by the list, their
      // name in it and the scan.
      db.createObjectStore("used");
    };
    request.onsuccess = () => {
      const db = request.result;
      // Another tab with a newer version of the page may change the database.
      db.onversionchange = () => {
        db.close();
        forgetConnection();
      };
      // The browser itself closes it, for example when a person clears what pages keep.
      db.onclose = forgetConnection;
      resolve(db);
    };
    request.onerror = () => reject(request.error);
  });
}

/** Runs `work` on one store, and is fulfilled when its transaction is on disk. */
export const withStore = (name, mode, work) => transact([name], mode, work);

/** The same for several stores, of which all are written or none. */
export const withStores = (names, work) => transact(names, "readwrite", work);

async function transact(names, mode, work) {
  const db = await open();
  return new Promise((resolve, reject) => {
    // `strict`: a scan that was shown to be kept is not lost with the power.
    const options = mode === "readwrite" ? { durability: "strict" } : {};
    const transaction = db.transaction(names, mode, options);
    let result;
    const request = work(...names.map((name) => transaction.objectStore(name)));
    if (request !== undefined) {
      request.onsuccess = () => {
        result = request.result;
      };
    }
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

export const read = (name, key) => withStore(name, "readonly", (store) => store.get(key));
export const readAll = (name) => withStore(name, "readonly", (store) => store.getAll());
export const write = (name, value, key) =>
  withStore(name, "readwrite", (store) => store.put(value, key));
export const remove = (name, key) => withStore(name, "readwrite", (store) => store.delete(key));
export const clear = (name) => withStore(name, "readwrite", (store) => store.clear());
