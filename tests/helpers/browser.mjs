// Drives a headless Chromium over its debugging pipe (the Chrome DevTools Protocol), as a person
// would: with keys, the mouse and a window of some size. Needs node and chromium, and no package.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const KEYS = { // key: [virtual key code, text]
  Enter: [13, "\r"], Escape: [27], Tab: [9], " ": [32, " "], ArrowLeft: [37], ArrowUp: [38], ArrowRight: [39], ArrowDown: [40],
  Home: [36], End: [35], "+": [187, "+"], "-": [189, "-"],
};

export class Browser {
  static async start(program = process.env.CHROMIUM || "chromium") {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "browser-"));
    browser.calls = new Map();
    browser.requests = [];
    browser.problems = [];
    browser.last = 0;
    // Root has no sandbox; what is shown is our own page.
    browser.child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", `--user-data-dir=${browser.folder}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: browser.folder } });
    browser.child.on("error", error => { console.error(`cannot run ${program}: ${error.message}`); process.exit(1); });
    let rest = "";
    browser.child.stdio[4].setEncoding("utf8");
    browser.child.stdio[4].on("data", data => {
      const messages = (rest + data).split("\0");
      rest = messages.pop();
      for (const message of messages) browser.take(JSON.parse(message));
    });
    const { targetInfos } = await browser.call("Target.getTargets");
    const { targetId } = targetInfos.find(target => target.type === "page");
    browser.session = (await browser.call("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await browser.call(`${domain}.enable`);
    return browser;
  }

  take(message) {
    if (message.id) {
      const { resolve, reject } = this.calls.get(message.id);
      this.calls.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
    } else if (message.method === "Network.requestWillBeSent") {
      this.requests.push(message.params.request.url);
    } else if (message.method === "Runtime.exceptionThrown") {
      this.problems.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
    } else if (message.method === "Log.entryAdded" && message.params.entry.level === "error") {
      this.problems.push(message.params.entry.text);
    } else if (message.method === "Page.loadEventFired") {
      this.loaded?.();
    }
  }

  call(method, params = {}) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject });
      this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    });
  }

  // Shows the file FILE. Returns the milliseconds until it was loaded and drawn.
  async show(file, hash = "") {
    await this.go("about:blank"); // else another hash is no other page
    const before = performance.now();
    await this.go(pathToFileURL(file).href + hash);
    await this.settle();
    return performance.now() - before;
  }

  async go(url) {
    const loaded = new Promise(resolve => { this.loaded = resolve; });
    await this.call("Page.navigate", { url });
    await loaded;
  }

  // Waits until the page has drawn what was done to it.
  settle() {
    return this.run("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))");
  }

  // The value of an expression in the page.
  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  async press(key, modifiers = 0) {
    const [code, text] = KEYS[key] || [key.toUpperCase().charCodeAt(0), key];
    const event = { key, code: key, windowsVirtualKeyCode: code, modifiers };
    await this.call("Input.dispatchKeyEvent", { ...event, type: text ? "keyDown" : "rawKeyDown", text });
    await this.call("Input.dispatchKeyEvent", { ...event, type: "keyUp" });
    await this.settle();
  }

  async type(text) {
    for (const letter of text) await this.press(letter);
  }

  async click(x, y) {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.call("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
    await this.settle();
  }

  async resize(width, height) {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.settle();
  }

  async prefer(scheme) {
    await this.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await this.settle();
  }

  async picture(file) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  async close() {
    const gone = new Promise(resolve => this.child.on("exit", resolve));
    await this.call("Browser.close").catch(() => {});
    await gone;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
