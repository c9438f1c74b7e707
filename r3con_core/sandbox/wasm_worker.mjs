// The process that runs generated code where the system has no walls of its own: CPython compiled to WebAssembly
// (Pyodide) inside Deno, which wasm.py starts with no permission but to read what it loads.
//
// It speaks the frames of worker.py over standard input and output. It loads everything, gives up its last permission,
// takes away what it no longer needs, proves its walls, and only then receives variables and code. The proof uses the
// functions of Deno, which are what a program would have to get hold of: Python here has no files and no network.

const deno = Deno;
const { stdin, stdout } = deno;
const [program, runtimeFolder, runtimeAddress, ownFolder, ...packageFolders] = deno.args;

const PAGE_BYTES = 65_536;
const PYTHON_BYTES = 256 * 2 ** 20; // what Python and its packages take of the memory, with room to spare
const NO_SPACE = 51; // ENOSPC as WebAssembly's C library numbers it
const ALARM = 14; // SIGALRM
const ABI = { arch: "wasm32", platform: "emscripten_3_1_58", python: "3.12.7", version: "0.27.7", abi_version: "2024_0" };
const NO_PACKAGES = JSON.stringify({ info: ABI, packages: {} }); // there is no list of packages to be had from elsewhere

// Frames: four bytes of length, big-endian, then JSON; its text is made in Python, where memory is limited.

function readExactly(length) {
  const bytes = new Uint8Array(length);
  for (let have = 0; have < length; ) {
    const got = stdin.readSync(bytes.subarray(have));
    if (got === null) deno.exit(0); // the host is gone
    have += got;
  }
  return bytes;
}

function receive() {
  return readExactly(new DataView(readExactly(4).buffer).getUint32(0));
}

function send(json) {
  const body = new TextEncoder().encode(json);
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, 4);
  for (let sent = 0; sent < frame.length; ) sent += stdout.writeSync(frame.subarray(sent));
}

// Limits that the flags of V8 do not set, or not in a way that Python can say something about.

function limitMemory(bytes) {
  const Memory = WebAssembly.Memory;
  const most = Math.min(Math.floor(bytes / PAGE_BYTES), 65_536);
  WebAssembly.Memory = function (wanted) {
    return new Memory({ ...wanted, maximum: Math.min(wanted.maximum ?? most, most) });
  };
  WebAssembly.Memory.prototype = Memory.prototype;
}

// The code's files lie in JavaScript's memory, also those that are deleted and still open.
function limitFiles(FS, { files, files_mb }) {
  const inMemory = FS.filesystems.MEMFS;
  const { createNode, expandFileStorage, resizeFileStorage } = inMemory;
  const streams = inMemory.ops_table.file.stream;
  const { write } = streams;
  let used = heldByFiles(FS);
  const most = { files: used.files + files, bytes: used.bytes + files_mb * 2 ** 20 };
  const take = (taken) => {
    const fits = () => used.files + taken.files <= most.files && used.bytes + taken.bytes <= most.bytes;
    if (!fits()) used = heldByFiles(FS);
    if (!fits()) throw new FS.ErrnoError(NO_SPACE);
    used = { files: used.files + taken.files, bytes: used.bytes + taken.bytes };
  };
  inMemory.createNode = (...about) => {
    take({ files: 1, bytes: 0 });
    return createNode(...about);
  };
  const growing = (change) => (node, wanted) => {
    const before = node.contents?.length ?? 0;
    if (wanted > before) take({ files: 0, bytes: wanted - before });
    change(node, wanted);
    used.bytes += (node.contents?.length ?? 0) - Math.max(before, wanted); // more or less than asked for, at times
  };
  inMemory.expandFileStorage = growing(expandFileStorage);
  inMemory.resizeFileStorage = growing(resizeFileStorage);
  streams.write = (stream, buffer, offset, length, position, ...more) => {
    if (position === 0 && stream.node.usedBytes === 0) take({ files: 0, bytes: length }); // a copy becomes the file
    return write(stream, buffer, offset, length, position, ...more);
  };
}

function heldByFiles(FS) {
  const nodes = new Set(FS.streams.map((stream) => stream?.node).filter(Boolean));
  const folders = [FS.root];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const node of Object.values(folder.contents ?? {})) {
      nodes.add(node);
      if (FS.isDir(node.mode)) folders.push(node);
    }
  }
  let bytes = 0;
  for (const node of nodes) if (FS.isFile(node.mode)) bytes += node.contents?.length ?? 0;
  return { files: nodes.size, bytes };
}

// Python asks before every few instructions whether a signal has come; the alarm comes when the time is over.
function alarmClock(python) {
  let deadline = Infinity;
  python.setInterruptBuffer({
    get 0() {
      if (performance.now() < deadline) return 0;
      deadline = Infinity;
      return ALARM;
    },
    set 0(_) {},
  });
  return (seconds) => {
    deadline = seconds > 0 ? performance.now() + 1000 * seconds : Infinity;
  };
}

// Loading

// Pyodide takes this process for a browser's worker and so looks for no way to the system.
function lookLikeABrowser() {
  for (const name of ["Deno", "process", "Buffer"]) delete globalThis[name];
  const forbidden = () => {
    throw new TypeError("no scripts");
  };
  globalThis.importScripts = forbidden;
  Object.defineProperty(globalThis, "location", { value: new URL(runtimeAddress), configurable: true });
  globalThis.fetch = (address) => {
    const name = new URL(address, runtimeAddress).pathname.split("/").at(-1);
    const kind = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    const bytes = name === "none.json" ? NO_PACKAGES : deno.readFileSync(`${runtimeFolder}/${name}`);
    return Promise.resolve(new Response(bytes, { headers: { "content-type": kind } }));
  };
}

function copyPackage(FS, from, to) {
  FS.mkdirTree(to);
  for (const entry of deno.readDirSync(from)) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`];
    if (entry.isDirectory && entry.name !== "tests" && entry.name !== "__pycache__") copyPackage(FS, source, target);
    if (entry.isFile) FS.writeFile(target, deno.readFileSync(source));
  }
}

async function loadPython() {
  lookLikeABrowser();
  const { loadPyodide } = await import(`${runtimeAddress}pyodide.mjs`);
  const nowhere = () => undefined;
  const python = await loadPyodide({
    indexURL: runtimeAddress,
    lockFileURL: `${runtimeAddress}none.json`,
    jsglobals: { Object, setTimeout, clearTimeout },
    env: { PYTHONHASHSEED: "0", TZ: "UTC", HOME: "/scratch" },
    stdin: () => null,
    stdout: nowhere,
    stderr: nowhere,
  });
  const wheels = [...deno.readDirSync(runtimeFolder)].map((entry) => entry.name).filter((name) => name.endsWith(".whl"));
  await python.loadPackage(
    wheels.map((name) => `${runtimeAddress}${name}`),
    { messageCallback: nowhere, checkIntegrity: false },
  );
  const site = python.runPython("import site; site.getsitepackages()[0]");
  for (const folder of packageFolders) {
    copyPackage(python.FS, folder, `${site}/${folder.replaceAll("\\", "/").split("/").at(-1)}`);
  }
  return python;
}

// Walls

const KEPT = new Set([
  ...["Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "BigInt", "Promise", "Proxy", "Reflect"],
  ...["Map", "Set", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Date", "RegExp", "Math", "JSON"],
  ...["Error", "TypeError", "RangeError", "EvalError", "SyntaxError", "ReferenceError", "URIError", "AggregateError"],
  ...["ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Int8Array", "Uint8Array", "Uint8ClampedArray"],
  ...["Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array"],
  ...["BigUint64Array", "WebAssembly", "Infinity", "NaN", "undefined", "globalThis", "parseInt", "parseFloat", "isNaN"],
  ...["isFinite", "TextDecoder", "TextEncoder", "performance", "crypto", "setTimeout", "clearTimeout", "Iterator"],
]);

function takeAway() {
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!KEPT.has(name)) delete globalThis[name];
}

const ACTS = {
  "read a file": (bait) => deno.readTextFileSync(bait),
  "read the files of this program": () => deno.readTextFileSync(`${ownFolder}/worker.py`),
  "list folders": () => [...deno.readDirSync("/")],
  "write a file": (bait) => deno.writeTextFileSync(`${bait}.new`, ""),
  "write into its folder": () => deno.writeTextFileSync("new", ""),
  "read the environment": () => deno.env.get("PATH"),
  "open a network connection": () => deno.connect({ hostname: "127.0.0.1", port: 9 }),
  "wait for network connections": () => deno.listen({ hostname: "127.0.0.1", port: 0 }),
  "start a process": () => new deno.Command(program).outputSync(),
  "signal another process": () => deno.kill(deno.ppid, "SIGTERM"),
  "load a library of the system": () => deno.dlopen("library", {}),
  "learn about the system": () => deno.hostname(),
};

async function missingWalls(bait) {
  const missing = [];
  for (const [name, act] of Object.entries(ACTS)) {
    try {
      await act(bait);
      missing.push(name);
    } catch (error) {
      if (!(error instanceof deno.errors.NotCapable)) missing.push(name);
    }
  }
  try {
    new Function("");
    missing.push("make programs of JavaScript");
  } catch (error) {
    if (!(error instanceof EvalError)) missing.push("make programs of JavaScript");
  }
  for (const name of ["read", "write", "net", "env", "sys", "run", "ffi", "import"]) {
    if ((await deno.permissions.query({ name })).state === "granted") missing.push(`use the permission ${name}`);
  }
  return missing;
}

// Work

const started = receive();
let session;
try {
  const start = JSON.parse(new TextDecoder().decode(started));
  limitMemory(PYTHON_BYTES + start.memory);
  const python = await loadPython();
  python.FS.mkdirTree("/scratch");
  const boot = python.runPython(deno.readTextFileSync(`${ownFolder}/wasm_boot.py`) + "\nSessions");
  session = boot(deno.readTextFileSync(`${ownFolder}/worker.py`), started, alarmClock(python));
  await deno.permissions.revoke({ name: "read" });
  takeAway();
  limitFiles(python.FS, start.limits);
  const missing = await missingWalls(start.bait);
  send(JSON.stringify({ error: null, missing, packages: session.packages().toJs() }));
} catch (error) {
  send(JSON.stringify({ error: `${error}`.slice(0, 2000), missing: [] }));
  deno.exit(1);
}
session.bind(receive());
send('{"bound": true}');
for (;;) send(session.run(receive()));
