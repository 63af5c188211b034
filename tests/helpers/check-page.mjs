// Uses a page of --report as a person would, in a headless Chromium, and fails with what was not as
// expected.
//
// usage: node check-page.mjs CHECK PAGE [FOLDER]      with FOLDER, leaves pictures there
import assert from "node:assert/strict";
import { join } from "node:path";
import { Browser } from "./browser.mjs";

const [name, page, folder] = process.argv.slice(2);
const browser = await Browser.start();
const run = expression => browser.run(expression);
const texts = selector => run(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(element => element.textContent)`);
const text = async selector => (await texts(selector))[0];
const names = () => texts("#rows td:first-child");
const focus = selector => run(`document.querySelector(${JSON.stringify(selector)}).focus()`);
const isOpen = () => run("document.querySelector('#details').open");
const picture = async what => { if (folder) await browser.picture(join(folder, `${name}-${what}.png`)); };

// Where the bar of a module is in the window.
async function placeOf(module) {
  await run("document.querySelector('#timeline').scrollIntoView()");
  return run(`(() => {
    const data = JSON.parse(document.querySelector("#data").textContent), job = data.jobs.find(job => job[0] === ${JSON.stringify(module)});
    const box = document.querySelector("#canvas").getBoundingClientRect(), from = data.started - data.began, to = data.last - data.began;
    const lane = data.lanes > 48 ? 8 : data.lanes > 24 ? 14 : 20;
    return [box.left + (job[2] + job[3] / 2 - from) / (to - from) * box.width, box.top + 26 + (job[4] + .5) * lane];
  })()`);
}

const luminance = colour => {
  const parts = colour.match(/[\d.]+/g).slice(0, 3).map(part => part / 255).map(part => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
  return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
};
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + .05) / (Math.min(luminance(a), luminance(b)) + .05);

const checks = {
  // Click on the heads of columns.
  async sort() {
    const sizes = "JSON.parse(document.querySelector('#data').textContent).jobs.map(job => [job[0], job[9]])";
    const bySize = (await run(sizes)).sort((a, b) => b[1] - a[1]).map(([module]) => module);
    const click = column => run(`[...document.querySelectorAll("#heads button")].find(button => button.textContent === "${column}").click()`);
    const sorted = () => run("[...document.querySelectorAll('#heads th')].filter(head => head.ariaSort).map(head => [head.textContent, head.ariaSort].join(' ')).join()");
    assert.equal(await sorted(), "Time descending");
    await click("Module");
    assert.equal(await sorted(), "Module ascending");
    assert.deepEqual(await names(), [...bySize].sort());
    await click("Module");
    assert.equal(await sorted(), "Module descending");
    assert.deepEqual(await names(), [...bySize].sort().reverse());
    await click("Size");
    assert.equal(await sorted(), "Size descending");
    assert.equal((await names())[0], bySize[0]);
  },

  async filter() {
    const all = (await names()).length;
    await focus("#filter");
    await browser.type("PRIM");
    assert.deepEqual(await names(), ["prime.o"]);
    assert.equal(await text("#count"), "1 to 1 of 1 module");
    await browser.type("x");
    assert.deepEqual(await names(), []);
    assert.equal(await text("#count"), "No module is called so.");
    await run("document.querySelector('#filter').value = ''; document.querySelector('#filter').dispatchEvent(new Event('input'))");
    assert.equal((await names()).length, all);
  },

  // Without a mouse: the timeline, a module's command and back, and each thing that can be used.
  async keyboard() {
    await focus("#timeline");
    await browser.press("ArrowRight");
    const first = await text("#said");
    assert.match(first, /^\S+\.o: .+ from .+ on, here$/);
    // Down or up goes to the other lane. The first bar may be alone in its own; not all are.
    const change = async () => {
      const before = await text("#said");
      await browser.press("ArrowDown");
      if (await text("#said") === before) await browser.press("ArrowUp");
      assert.notEqual(await text("#said"), before);
    };
    await change();
    await browser.press("Home");
    await browser.press("ArrowRight");
    if (await text("#said") === first) await change();
    for (let i = 0; i < 5; i++) await browser.press("ArrowLeft");
    const left = await text("#said");
    await browser.press("ArrowRight");
    assert.notEqual(await text("#said"), left);
    await browser.press("ArrowLeft");
    assert.equal(await text("#said"), left);
    await browser.press("+");
    await browser.press("-");
    await picture("bar");
    await browser.press("End");
    await browser.press("Home");
    assert.equal(await text("#said"), first);
    await browser.press("Enter");
    assert.ok(await isOpen());
    assert.match(await text("#command"), / -fthinlto-index=\S+ -o \S+\.native\.o$/);
    assert.equal(await text("#details-title"), first.split(":")[0]);
    await browser.press("Escape");
    assert.ok(!await isOpen());
    assert.equal(await run("document.activeElement.id"), "timeline");
    // Tab comes to all of them, and each shows that it has the focus.
    const usable = await run("[...document.querySelectorAll('button, input, select, [tabindex=\"0\"]')].filter(element => element.checkVisibility() && !element.disabled && !element.closest('dialog')).length");
    await browser.show(page);
    let reached = 0;
    for (let i = 0; i < usable + 5; i++) {
      await browser.press("Tab");
      const outline = await run("document.activeElement === document.body ? '' : getComputedStyle(document.activeElement).outlineStyle");
      if (!outline) break;
      assert.equal(outline, "solid", await run("document.activeElement.outerHTML"));
      reached++;
    }
    assert.equal(reached, usable);
    const unnamed = await run("[...document.querySelectorAll('button, input, select')].filter(element => !(element.textContent.trim() || element.ariaLabel || element.labels?.length)).map(element => element.outerHTML)");
    assert.deepEqual(unnamed, []);
  },

  // A bar that is clicked leads to its command, and the command has an address.
  async bar() {
    const [x, y] = await placeOf("main.o");
    await browser.click(x, y);
    assert.ok(await isOpen());
    assert.equal(await text("#details-title"), "main.o");
    assert.match(await text("#command"), /^cd \/\S+ && \S+\/clang\S* -c .* main\.o -fthinlto-index=main\.\S+\.thinlto\.bc -o main\.\S+\.native\.o$/);
    await picture("command");
    const hash = await run("location.hash");
    assert.match(hash, /^#job-\d+$/);
    await browser.show(page, hash);
    assert.equal(await text("#details-title"), "main.o");
  },

  async colours() {
    const seen = [];
    for (const scheme of ["light", "dark"]) {
      await browser.prefer(scheme);
      await picture(scheme);
      const colours = await run("[...document.querySelectorAll('h1, p, td, .link, .note, .value, th button, #filter')].filter(element => element.checkVisibility()).map(element => getComputedStyle(element).color)");
      const grounds = await run("[document.body, document.querySelector('.card'), document.querySelector('tbody tr:nth-child(even) td')].map(element => getComputedStyle(element).backgroundColor)");
      for (const ground of grounds) {
        for (const colour of new Set(colours)) assert.ok(contrast(colour, ground) >= 4.5, `${scheme}: ${colour} on ${ground}`);
      }
      seen.push(grounds[0]);
    }
    assert.ok(luminance(seen[0]) > .8 && luminance(seen[1]) < .05, `${seen}`);
  },

  async narrow() {
    await browser.resize(360, 740);
    assert.ok(await run("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways");
    await picture("top");
    await run("document.querySelector('#table-title').scrollIntoView()");
    await picture("table");
    const [x, y] = await placeOf("main.o");
    await browser.click(x, y);
    assert.equal(await text("#details-title"), "main.o");
    assert.ok(await run("document.querySelector('#details').getBoundingClientRect().width <= innerWidth"));
    await picture("command");
  },

  // Names from the link are text, whatever they hold.
  async names() {
    const odd = "a</script><b onclick=x>&amp;'\".bc";
    assert.ok((await names()).includes(odd));
    assert.equal(await run("document.querySelectorAll('b').length"), 0);
  },

  async failure() {
    assert.match(await text("#failure"), /^1 compilation failed(; \d+ (was|were) not run to the end)?\.$/);
    await run("document.querySelector('#only').value = 'failed'; document.querySelector('#only').dispatchEvent(new Event('change'))");
    assert.deepEqual(await names(), ["prime.o"]);
    assert.match(await text("#rows td:nth-child(4)"), /^failed/);
    await picture("page");
    await run("document.querySelector('#lists .card .link').click()");
    assert.equal(await text("#details-title"), "prime.o");
    assert.equal(await text("#said-text"), "no <primes> today\n");
    await picture("command");
    await run("document.querySelector('#close').click()");
    await run("document.querySelector('#only').value = 'all'; document.querySelector('#only').dispatchEvent(new Event('change'))");
    await run("[...document.querySelectorAll('#rows .link')].find(link => link.textContent === 'main.o').click()");
    assert.ok(await run("document.querySelector('#printed').hidden"));
  },

  // The compilations took just below four minutes together, the link just below an hour.
  async times() {
    assert.match((await texts("#figures .note"))[2], / 4 min 0 s together$/);
    assert.equal((await texts("#figures .value"))[1], "1 h 0 min");
  },

  // Ten thousand modules. How long it takes is said, and not judged.
  async many() {
    console.log(`# shown in ${Math.round(await browser.show(page))} ms`);
    assert.equal(await text("#figures .value"), "10,000");
    assert.equal((await names()).length, 100);
    assert.equal(await text("#count"), "1 to 100 of 10,000 modules");
    await picture("top");
    const before = performance.now();
    await focus("#filter");
    await browser.type("9999");
    console.log(`# filtered in ${Math.round((performance.now() - before) / 4)} ms a letter`);
    assert.equal((await names()).length, 1);
    await run("document.querySelector('#filter').value = ''; document.querySelector('#filter').dispatchEvent(new Event('input'))");
    await run("document.querySelector('#last').click()");
    assert.equal(await text("#count"), "9,901 to 10,000 of 10,000 modules");
    await focus("#timeline");
    for (let i = 0; i < 8; i++) await browser.press("+");
    await browser.press("End");
    await browser.press("Enter");
    assert.ok(await isOpen());
    await picture("command");
  },
};

try {
  await browser.resize(1280, 900);
  await browser.show(page);
  await checks[name]();
  assert.deepEqual(browser.problems, []);
  assert.deepEqual(browser.requests.filter(url => !/^(file|about):/.test(url)), [], "it must ask nobody for anything");
} catch (error) {
  console.error(error.message, browser.problems.join("\n"));
  process.exitCode = 1;
} finally {
  await browser.close();
}
