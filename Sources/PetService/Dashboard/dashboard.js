// Elements

const byId = (id) => document.getElementById(id);
const title = (word) => word.charAt(0).toUpperCase() + word.slice(1);
const pause = (seconds) => new Promise((wake) => setTimeout(wake, seconds * 1000));

/// Text that others wrote only ever goes in as text: `append` and `textContent` make no markup of it.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  Object.assign(node, attributes);
  node.append(...children);
  return node;
}

const unseen = (text) => element("span", { className: "unseen" }, text);

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/// Figures come each second: what did not change is not drawn (nor read aloud) again.
const drawn = new Map();
function whenChanged(key, value, draw) {
  const now = JSON.stringify(value);
  if (drawn.get(key) === now) return;
  drawn.set(key, now);
  draw(value);
}

const setText = (id, text) => whenChanged(id, text, () => { byId(id).textContent = text; });

function announce(text) {
  byId("announcement").textContent = text;
}

// Faces, in a square of 200

const path = (paint, d) => svg("path", { class: paint, d });
const oval = (paint, cx, cy, rx, ry = rx) => svg("ellipse", { class: paint, cx, cy, rx, ry });
const moved = (x, y, ...children) => svg("g", { transform: `translate(${x} ${y})` }, ...children);
const both = (draw) => [...draw(), svg("g", { transform: "matrix(-1 0 0 1 200 0)" }, ...draw())];
const nose = () => path("ink", "M94 120Q100 117 106 120Q104 127 100 127Q96 127 94 120Z");

function spines(count, inner, outer) {
  const points = Array.from({ length: 2 * count }, (_, i) => {
    const angle = (Math.PI * i) / count, radius = i % 2 ? inner : outer;
    return `${(100 + radius * Math.sin(angle)).toFixed(1)} ${(100 - radius * Math.cos(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

const wool = [[52, 84], [44, 118], [58, 150], [86, 164], [76, 64]].flatMap(([x, y]) => [[x, y], [200 - x, y]]).concat([[100, 56]]);

/// Each one's shape; the face goes over it. `gap`: from the middle to an eye.
const pets = {
  mochi: {
    kind: "cat-dragon", gap: 26, mouth: 133,
    shape: () => [
      ...both(() => [
        path("deep", "M48 136Q2 124 4 82Q18 86 26 96Q28 84 38 80Q54 98 62 118Z"),
        path("fur", "M42 100L44 36Q46 27 54 32L100 64Z"), path("inner", "M53 78L54 48L80 66Z"),
      ]),
      path("deep", "M74 66L84 46L93 60L100 36L107 60L116 46L126 66Z"),
      oval("fur", 100, 114, 66, 56), oval("light", 100, 134, 30, 21), nose(),
    ],
  },
  bramble: {
    kind: "hedgehog", gap: 23, mouth: 136,
    shape: () => [
      path("deep", spines(22, 66, 80)), path("fur", spines(18, 58, 70)),
      ...both(() => [oval("fur", 54, 84, 15), oval("inner", 54, 84, 8)]),
      oval("light", 100, 120, 54, 46),
      path("fur", "M50 98L64 82L76 92L88 76L100 90L112 76L124 92L136 82L150 98Q134 58 100 58Q66 58 50 98Z"),
      oval("ink", 100, 125, 8, 6),
    ],
  },
  pixel: {
    kind: "robot puppy", gap: 24, mouth: 132,
    shape: () => [
      path("stem", "M100 62V36"), oval("inner", 100, 32, 8),
      ...both(() => [path("deep", "M44 66Q12 66 12 100V132Q12 146 25 146Q38 146 40 130Z")]),
      svg("rect", { class: "fur", x: 32, y: 56, width: 136, height: 116, rx: 34 }),
      svg("rect", { class: "screen", x: 47, y: 72, width: 106, height: 84, rx: 22 }), nose(),
    ],
  },
  juniper: {
    kind: "owl", gap: 27, mouth: 146,
    shape: () => [
      ...both(() => [path("deep", "M44 96L34 32Q34 25 42 29L98 62Z")]),
      oval("fur", 100, 112, 68, 62),
      ...both(() => [oval("light", 73, 108, 32)]),
      path("deep", "M100 100L58 64Q78 56 100 66Q122 56 142 64Z"),
      path("inner", "M91 122Q100 117 109 122L100 138Z"),
    ],
  },
  tofu: {
    kind: "cloud-sheep", gap: 19, mouth: 134,
    shape: () => [
      ...wool.map(([x, y]) => oval("deep", x, y + 4, 27)), ...wool.map(([x, y]) => oval("fur", x, y, 26)),
      oval("fur", 100, 110, 58),
      ...both(() => [path("inner", "M62 104Q32 88 20 110Q32 130 62 120Z")]),
      oval("light", 100, 120, 45, 41),
      ...[[72, 84, 17], [128, 84, 17], [88, 78, 19], [112, 78, 19]].map(([x, y, r]) => oval("fur", x, y, r)),
      path("ink", "M95 122H105L100 127Z"),
    ],
  },
  zest: {
    kind: "goblin-fox", gap: 25, mouth: 137,
    shape: () => [
      ...both(() => [path("deep", "M54 118L3 62Q0 54 10 54L84 70Z"), path("inner", "M58 104L27 68L76 82Z")]),
      path("fur", "M92 54Q96 36 112 34Q106 44 112 54Q152 60 160 102L174 126L150 136Q130 168 100 168Q70 168 50 136L26 126L40 102Q48 60 92 54Z"),
      path("light", "M100 122Q126 112 150 136Q130 168 100 168Q70 168 50 136Q74 112 100 122Z"), nose(),
    ],
  },
};
const anyPet = { kind: "", gap: 24, mouth: 132, shape: () => [oval("fur", 100, 108, 66, 60)] };

const heart = "M0 10C-17-2-10-14 0-6C10-14 17-2 0 10Z";
const sparkle = "M0-13Q2-2 13 0Q2 2 0 13Q-2 2-13 0Q-2-2 0-13Z";
const drop = "M0-11C8 0 8 8 0 8C-8 8-8 0 0-11Z";

const eyes = {
  open: () => [oval("ink", 0, 0, 9, 10), oval("glint", 3, -4, 3)],
  wide: () => [oval("ink", 0, 0, 12, 13), oval("glint", 4, -5, 4), oval("glint", -4, 5, 2)],
  tiny: () => [oval("glint", 0, 0, 11, 12), svg("ellipse", { class: "stroke", rx: 11, ry: 12 }), oval("ink", 0, 0, 4)],
  smiling: () => [path("stroke", "M-10 4Q0-11 10 4")],
  closed: () => [path("stroke", "M-10-1Q0 8 10-1")],
  half: () => [path("ink", "M-10-1A10 10 0 0 0 10-1Z"), path("stroke", "M-11-1H11")],
  heart: () => [path("love", heart)],
  starry: () => [oval("ink", 0, 0, 12, 13), scaled("glint", sparkle, 0.75)],
};

const brows = {
  raised: "M-9-20Q0-26 9-20",
  worried: "M-10-15L8-22",
  angry: "M-10-21L10-13",
};

const mouths = {
  smile: () => [path("stroke", "M-12 0Q0 13 12 0")],
  grin: () => [path("mouth", "M-16-2Q0 2 16-2Q14 18 0 18Q-14 18-16-2Z"), path("tongue", "M-9 14Q0 6 9 14Q0 21-9 14Z")],
  tongue: () => [path("tongue", "M-3 5Q-4 20 4 19Q12 18 9 3Z"), path("stroke", "M-12 0Q0 13 12 0")],
  smirk: () => [path("stroke", "M-10 3Q4 11 13-3")],
  round: () => [oval("mouth", 0, 6, 7, 8)],
  dot: () => [oval("mouth", 0, 5, 4.5)],
  frown: () => [path("stroke", "M-11 9Q0-3 11 9")],
  wavy: () => [path("stroke", "M-15 5Q-10-2-5 5T5 5T15 5")],
  drool: () => [path("stroke", "M-11 2Q0 10 11 2"), moved(9, 15, path("water", drop))],
};

const scaled = (paint, d, scale) => svg("path", { class: paint, d, transform: `scale(${scale})` });
const aside = (paint, d) => [moved(172, 45, path(paint, d)), moved(29, 41, scaled(paint, d, 0.65))];

const signs = {
  sparkles: () => aside("spark", sparkle),
  hearts: () => aside("love", heart),
  question: () => [svg("text", { class: "sign", x: 166, y: 48 }, "?")],
  sleep: () => [svg("text", { class: "sign", x: 156, y: 46 }, "z z")],
  sweat: () => [moved(152, 80, path("water", drop))],
};

const emotions = {
  happy: { eyes: "smiling", mouth: "smile", blush: true },
  excited: { eyes: "starry", brow: "raised", mouth: "grin", sign: "sparkles", blush: true },
  content: { eyes: "open", mouth: "smile", blush: true },
  curious: { eyes: "open", rightBrow: "raised", mouth: "dot", sign: "question" },
  playful: { eyes: "open", rightEye: "smiling", mouth: "tongue", blush: true },
  sleepy: { eyes: "closed", mouth: "dot", sign: "sleep" },
  hungry: { eyes: "wide", brow: "worried", mouth: "drool" },
  sad: { eyes: "open", brow: "worried", mouth: "frown", tear: true },
  worried: { eyes: "open", brow: "worried", mouth: "wavy", sign: "sweat" },
  scared: { eyes: "tiny", brow: "worried", mouth: "wavy", sign: "sweat" },
  grumpy: { eyes: "half", brow: "angry", mouth: "frown" },
  loving: { eyes: "heart", mouth: "smile", sign: "hearts", blush: true },
  proud: { eyes: "closed", brow: "raised", mouth: "smirk", sign: "sparkles", blush: true },
  surprised: { eyes: "wide", brow: "raised", mouth: "round" },
};

function drawFace(pet, { gap, mouth }, emotion) {
  const look = emotions[emotion] ?? emotions.content;
  const level = 108;
  const eye = (x, name) => moved(x, level, svg("g", { class: eyes[name] === eyes.open ? "blinking" : "" }, ...eyes[name]()));
  const brow = (x, side, name) => name
    ? [svg("g", { transform: `translate(${x} ${level}) scale(${side} 1)` }, path("stroke", brows[name]))] : [];
  return svg("g", {},
    ...(look.blush ? both(() => [oval("blush", 100 - gap - 12, level + 18, 10, 6)]) : []),
    eye(100 - gap, look.eyes), eye(100 + gap, look.rightEye ?? look.eyes),
    ...brow(100 - gap, 1, look.brow), ...brow(100 + gap, -1, look.rightBrow ?? look.brow),
    moved(100, mouth, ...mouths[look.mouth]()),
    ...(look.tear ? [moved(100 - gap - 6, level + 24, path("water", drop))] : []));
}

function drawPet(pet, emotion, label) {
  const form = pets[pet] ?? anyPet;
  const sign = signs[emotions[emotion]?.sign];
  return svg("svg", { viewBox: "0 0 200 180", ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true }) },
    svg("g", { class: "body" }, ...form.shape(), drawFace(pet, form, emotion)), ...(label && sign ? sign() : []));
}

// Requests

let token = sessionStorage.getItem("token");
let tokenEntry = null;

class RequestError extends Error {
  constructor(message, retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

async function failure(response) {
  const body = await response.json().catch(() => null);
  const seconds = Number(response.headers.get("retry-after")) || undefined;
  return new RequestError(body?.error?.message ?? `petd answered ${response.status}`, seconds);
}

/// One question for all the requests that were refused at once.
function askForToken() {
  const refused = token !== null;
  showConnection("Token needed", false);
  tokenEntry ??= new Promise((entered) => {
    byId("page").hidden = true;
    byId("unlock").hidden = false;
    byId("unlock-error").textContent = refused ? "That token was not accepted." : "";
    byId("token").focus();
    byId("unlock").onsubmit = (event) => {
      event.preventDefault();
      entered(byId("token").value.trim());
    };
  }).then((value) => {
    token = value;
    sessionStorage.setItem("token", token);
    byId("token").value = "";
    byId("unlock").hidden = true;
    byId("page").hidden = false;
    tokenEntry = null;
  });
  return tokenEntry;
}

async function request(url, { headers, ...options } = {}) {
  for (;;) {
    const sent = token;
    const authorization = sent ? { authorization: `Bearer ${sent}` } : {};
    const response = await fetch(url, { ...options, headers: { ...headers, ...authorization } }).catch((error) => {
      throw error.name === "AbortError" ? error : new RequestError("petd cannot be reached");
    });
    if (response.ok) return response;
    if (response.status !== 401) throw await failure(response);
    if (sent === token) await askForToken();
  }
}

const requestEvents = (url, options) =>
  request(url, { ...options, headers: { ...options.headers, accept: "text/event-stream" } });
const get = async (url) => (await request(url)).json();
const posting = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const post = async (url, body) => (await request(url, posting(body))).json();

function parseEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}

/// `EventSource` cannot send a token, so the stream is read by hand.
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (buffer + value).split(/\r?\n\r?\n/);
      buffer = blocks.pop();
      for (const event of blocks.map(parseEvent)) if (event) yield event;
    }
  } catch (error) {
    throw error instanceof TypeError ? new RequestError("Connection lost") : error;
  } finally {
    reader.cancel().catch(() => {});
  }
}

const backoff = (failures) => Math.min(8, 2 ** failures);

/// Runs `task` until it ends well; it calls what it is given when things go well again.
async function persist(task, tell, isWanted = () => true) {
  for (let failures = 0; isWanted(); failures++) {
    try {
      return await task(() => { failures = 0; });
    } catch (error) {
      const seconds = Math.ceil(error.retryAfter ?? backoff(failures));
      tell(`${error.message}. Trying again in ${seconds} s`);
      await pause(seconds * (1 + Math.random() / 4));
    }
  }
}

// The pet

/// What is low, high and best of each, of 100; one is hungriest at 100.
const ranges = { hunger: [40, 70, 0], energy: [25, 50, 100], mood: [30, 50, 100], affection: [25, 50, 100], health: [30, 60, 100] };
const addressOf = (pet, part) => `/pet/pets/${encodeURIComponent(pet)}/${part}`;
const conversations = new Map();
let current = null;
let reply = null;
let listening = null;

function feelingOf({ hunger, energy, mood, health }) {
  if (health < 30) return "sad";
  if (hunger > 75) return "hungry";
  if (energy < 20) return "sleepy";
  if (mood < 30) return "sad";
  return mood > 75 ? "happy" : "content";
}

const tellFeeling = (text) => { byId("feeling").textContent = text; };

function showEmotion(emotion, action) {
  const feeling = emotions[emotion] ? emotion : "content";
  const words = action ? `${feeling}, ${action.replaceAll("_", " ")}` : feeling;
  byId("stage").replaceChildren(drawPet(current, feeling, `${title(current)} looks ${feeling}`));
  tellFeeling(title(words));
  conversations.get(current).emotion = feeling;
}

function showState(state) {
  byId("state").replaceChildren(...Object.entries(ranges).map(([id, [low, high, optimum]]) => element("div", {},
    element("label", { htmlFor: id }, title(id)), element("span", {}, whole(state[id])),
    element("meter", { id, max: 100, low, high, optimum, value: state[id] }))));
}

function showPets(names) {
  byId("pets").replaceChildren(...names.map((name) => {
    const choice = element("input", { type: "radio", name: "pet", value: name, checked: name === current });
    const label = element("label", {}, choice, drawPet(name, "content"), element("span", {}, title(name)));
    label.dataset.pet = name;
    return label;
  }));
}

function conversationWith(pet) {
  if (!conversations.has(pet)) conversations.set(pet, { id: null, emotion: "content", list: element("ol") });
  return conversations.get(pet);
}

async function begin(pet) {
  const conversation = conversationWith(pet);
  const state = await get(addressOf(pet, "state"));
  if (pet === current) {
    showState(state);
    showEmotion(feelingOf(state));
  }
  if (conversation.id) return;
  const { id, greeting, exchanges } = await post("/pet/sessions", { pet, name: "dashboard" });
  conversation.id = id;
  showReadiness();
  for (const { user, reply } of exchanges) {
    add(conversation, "you", "You: ", user);
    add(conversation, "pet", `${title(pet)}: `, reply.text);
  }
  for (const line of greeting) hear(pet, line);
}

/// What is written before the conversation is open would reach nobody.
function showReadiness() {
  byId("send").disabled = !conversationWith(current).id;
}

function choose(pet) {
  reply?.abort();
  listening?.abort();
  current = pet;
  document.body.dataset.pet = pet;
  history.replaceState(null, "", `#${pet}`);
  const conversation = conversationWith(pet);
  byId("pet-name").textContent = title(pet);
  byId("pet-kind").textContent = pets[pet]?.kind ?? "";
  byId("chat-title").textContent = `Chat with ${title(pet)}`;
  byId("log").replaceChildren(conversation.list);
  showEmotion(conversation.emotion);
  showReadiness();
  scrollToEnd();
  return persist(() => begin(pet), tellFeeling, () => pet === current).then(listen);
}

/// What the pet says by itself, until another one is chosen or nobody looks.
async function followPet(isWell) {
  const pet = current, { id } = conversationWith(pet), controller = new AbortController();
  listening?.abort();
  listening = controller;
  const rest = () => controller.abort();
  document.addEventListener("visibilitychange", rest);
  try {
    const response = await requestEvents(`/pet/sessions/${encodeURIComponent(id)}/events`, { signal: controller.signal });
    isWell();
    for await (const { name, data } of events(response)) if (name === "initiative") hear(pet, data);
    throw new RequestError("Connection lost");
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    document.removeEventListener("visibilitychange", rest);
    if (listening === controller) listening = null;
  }
}

/// Where it fails it is tried again; that petd is gone is said beside the figures.
function listen() {
  const pet = current;
  if (listening || document.hidden || !pet || !conversationWith(pet).id) return;
  persist(followPet, () => {}, () => pet === current && !document.hidden).then(listen);
}

async function care(action) {
  const pet = current;
  try {
    const answer = await post(addressOf(pet, "care"), { action });
    if (pet === current) showState(answer.state);
    hear(pet, answer.reply);
  } catch (error) {
    note(conversationWith(pet), explain(error));
  }
}

// The chat

const explain = (error) => error.retryAfter ? `${error.message}. Try again in ${error.retryAfter} s.` : error.message;

function scrollToEnd() {
  byId("log").scrollTop = byId("log").scrollHeight;
}

/// Follows the talk unless the person has scrolled up to read.
function keepingEnd(change) {
  const { scrollTop, clientHeight, scrollHeight } = byId("log");
  change();
  if (scrollHeight - clientHeight - scrollTop < 60) scrollToEnd();
}

function add(conversation, from, speaker, text) {
  const words = element("p", {}, text);
  const item = element("li", { className: from }, unseen(speaker), words);
  keepingEnd(() => conversation.list.append(item));
  return words;
}

function note(conversation, text) {
  keepingEnd(() => conversation.list.append(element("li", { className: "note" }, text)));
  announce(text);
}

const remark = (words, text) => keepingEnd(() => words.after(element("small", {}, text)));

function hear(pet, { text, emotion, actions = [] }) {
  if (text) add(conversationWith(pet), "pet", `${title(pet)}: `, text);
  if (pet !== current) return;
  announce(`${title(pet)}: ${text}`);
  if (emotion) showEmotion(emotion, actions[0]);
}

function showBusy(isBusy) {
  // The focus must not go with the button that had it.
  if (document.activeElement.closest("#compose")) byId("message").focus();
  byId("send").hidden = isBusy;
  byId("stop").hidden = !isBusy;
}

/// The events of one reply, told into `words`; `done` has the last say on the text.
function replyHandlers(pet, words) {
  const ifShown = (show) => (value) => { if (pet === current) show(value); };
  return {
    token: ({ text }) => keepingEnd(() => words.append(text)),
    emotion: ifShown(({ emotion }) => emotion && showEmotion(emotion)),
    action: ifShown(({ action }) => showEmotion(conversationWith(pet).emotion, action)),
    state: ifShown(showState),
    done: ({ text, source, notices }) => {
      keepingEnd(() => { words.textContent = text; });
      remark(words, [`from the ${source}`, ...notices.map((notice) => notice.text)].join(" · "));
      announce(`${title(pet)}: ${text}`);
    },
    error: ({ error }) => { throw new RequestError(error.message); },
  };
}

async function streamReply(conversation, text, handlers, signal) {
  const url = `/pet/sessions/${encodeURIComponent(conversation.id)}/messages`;
  const response = await requestEvents(url, { ...posting({ text }), signal });
  for await (const { name, data } of events(response)) {
    handlers[name]?.(data);
    if (name === "done") return;
  }
  throw new RequestError("The reply broke off");
}

async function send(text) {
  const pet = current, conversation = conversationWith(pet), controller = new AbortController();
  const said = add(conversation, "you", "You: ", text);
  const words = add(conversation, "pet", `${title(pet)}: `, "");
  scrollToEnd();
  reply = controller;
  showBusy(true);
  try {
    await streamReply(conversation, text, replyHandlers(pet, words), controller.signal);
  } catch (error) {
    const isStopped = error.name === "AbortError";
    if (!words.textContent) words.parentNode.remove();
    else if (isStopped) remark(words, "stopped");
    if (!isStopped) giveBack(pet, conversation, text, said, words, error);
  } finally {
    if (reply === controller) {
      reply = null;
      showBusy(false);
    }
  }
}

/// A message that got no answer returns to its field, to be sent again.
function giveBack(pet, conversation, text, said, words, error) {
  note(conversation, explain(error));
  if (words.textContent || pet !== current || byId("message").value) return;
  said.parentNode.remove();
  byId("message").value = text;
}

// Figures

const whole = (number) => number.toLocaleString("en", { maximumFractionDigits: 0 });

function duration(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  if (days) return `${days} d ${hours % 24} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

const share = (part) => (part == null ? "no use yet" : `${whole(100 * part)} %`);

function showBattery({ percent, percent_per_half_hour: use, source, watts }) {
  setText("battery", percent == null ? "none" : `${whole(percent)} %`);
  setText("energy", watts == null ? source.replaceAll("_", " ") : `${watts.toFixed(1)} W (${source.replaceAll("_", " ")})`);
  setText("battery-use", use == null ? "–" : `≈ ${use.toFixed(1)} %`);
}

/// What is said of privacy is said by petd alone.
function showPrivacy({ state, badge, detail }) {
  byId("privacy").dataset.state = state;
  byId("privacy-label").textContent = badge;
  byId("privacy-name").textContent = state === "failed" ? "" : state;
  byId("privacy-detail").textContent = detail;
  if (state === "failed") announce(badge);
}

function showAlerts(alerts) {
  const items = alerts.map(({ kind, text }) => element("li", {}, element("b", {}, title(kind.replaceAll("_", " "))), text));
  byId("alerts").replaceChildren(items.length ? element("ul", {}, ...items) : element("p", {}, "No active alerts"));
}

function showLatency(rows) {
  if (!rows.length) return;
  const titles = [...document.querySelectorAll("#latencies thead th")].map((title) => title.textContent);
  byId("latency").replaceChildren(...rows.map(({ model, p50_ms, p95_ms, p99_ms, target_ms, compliance, memory_mb, percent_per_half_hour }) => {
    const figures = [p50_ms, p95_ms, p99_ms, target_ms, compliance == null ? null : 100 * compliance, memory_mb].map((value) => value == null ? "–" : whole(value));
    const cells = [...figures, percent_per_half_hour.toFixed(1)].map((text, index) => {
      const cell = element("td", { role: "cell" }, text);
      cell.dataset.title = titles[index + 1];
      return cell;
    });
    if (target_ms != null && p95_ms > target_ms) {
      cells[1].className = "problem";
      cells[1].prepend(unseen("over target: "), "▲ ");
    }
    return element("tr", { role: "row" }, element("th", { scope: "row", role: "rowheader" }, model), ...cells);
  }));
}

/// What was done about how models fare.
function showResponses(responses) {
  const line = ({ model, response, reason, age_s }) =>
    element("li", {}, element("b", {}, `${model}: ${response}`), ` ${duration(age_s)} ago; ${reason}`);
  byId("responses").replaceChildren(...responses.map(line));
  byId("responses-title").hidden = !responses.length;
}

function showSpeed(rates) {
  setText("speed", rates.length ? rates.at(-1).toFixed(1) : "–");
  if (!rates.length) return byId("sparkline").replaceChildren();
  const most = Math.max(...rates, 1), step = 232 / Math.max(rates.length - 1, 1);
  const points = rates.map((rate, i) => `${(4 + i * step).toFixed(1)} ${(44 - (rate / most) * 40).toFixed(1)}`);
  const last = points.at(-1);
  byId("sparkline").replaceChildren(
    path("area", `M4 48L${points.join("L")}L${last.split(" ")[0]} 48Z`), path("", `M${points.join("L")}`), path("now", `M${last}h0`));
  byId("sparkline").setAttribute("aria-label", `Tokens per second: now ${whole(rates.at(-1))}, at most ${whole(most)}`);
}

function showMemory({ resident_mb, budget_mb }) {
  byId("memory").value = budget_mb ? resident_mb / budget_mb : 0;
  setText("memory-text", `${whole(resident_mb)} of ${whole(budget_mb)} MiB`);
}

function showDevice({ device, model }) {
  const lines = {
    Model: `${model.name ?? "none"}${model.tier ? ` (${model.tier})` : ""}${model.loaded ? "" : ", not loaded"}`,
    ...(model.degraded ? { "Stands in for": `${model.degraded.from}: ${model.degraded.reason}` } : {}),
    CPU: device.cpu,
    Cores: device.cores,
    Memory: `${whole(device.memory_mb)} MiB`,
    Instructions: device.instruction_sets.join(", "),
    Profile: device.profile,
  };
  byId("device").replaceChildren(...Object.entries(lines).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, String(value)))));
}

function showFigures(figures) {
  setText("uptime", duration(figures.uptime_s));
  setText("requests", whole(figures.requests));
  setText("reply-cache", share(figures.cache.hit_rate));
  setText("prompt-cache", share(figures.cache.prefix_rate));
  showBattery(figures.battery);
  whenChanged("speed figures", figures.tokens_per_second, showSpeed);
  whenChanged("memory figures", figures.memory, showMemory);
  whenChanged("device", { device: figures.device, model: figures.model }, showDevice);
  whenChanged("latency", figures.latency, showLatency);
  whenChanged("alerts", figures.alerts, showAlerts);
  whenChanged("responses", figures.responses, showResponses);
  whenChanged("privacy", figures.privacy, showPrivacy);
}

function showConnection(text, isLost) {
  setText("connection", text);
  byId("connection").classList.toggle("problem", isLost);
  byId("figures").classList.toggle("stale", isLost);
}

/// Nothing is known of a daemon that does not answer, its privacy least of all.
function showLost(text) {
  showConnection(text, true);
  whenChanged("privacy", { state: "", badge: "Privacy unknown", detail: "petd does not answer." }, showPrivacy);
}

const longestSilence = 15;

/// Until nobody looks.
async function followFigures(isWell) {
  const controller = new AbortController();
  let watch;
  const expectMore = () => {
    clearTimeout(watch);
    watch = setTimeout(() => controller.abort(new RequestError("Connection lost")), longestSilence * 1000);
  };
  const rest = () => controller.abort();
  document.addEventListener("visibilitychange", rest);
  try {
    const response = await requestEvents("/dashboard/events", { signal: controller.signal });
    expectMore();
    for await (const { name, data } of events(response)) {
      expectMore();
      isWell();
      showConnection("Connected", false);
      if (name === "figures") showFigures(data);
    }
    throw new RequestError("Connection lost");
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    clearTimeout(watch);
    document.removeEventListener("visibilitychange", rest);
  }
}

/// A page in the background leaves petd alone.
async function followWhileSeen() {
  for (;;) {
    if (document.hidden) await new Promise((wake) => document.addEventListener("visibilitychange", wake, { once: true }));
    await persist(followFigures, showLost, () => !document.hidden);
  }
}

async function refreshState() {
  const pet = current;
  if (document.hidden || reply || tokenEntry) return;
  const state = await get(addressOf(pet, "state")).catch(() => null);
  if (state && pet === current) showState(state);
}

// Who answers where nobody is named, as in `pet chat`.
const usual = "mochi";

async function start() {
  const names = await persist(async () => (await get("/pet/pets")).data, tellFeeling);
  const wanted = decodeURIComponent(location.hash.slice(1));
  current = [wanted, usual].find((name) => names.includes(name)) ?? names[0];
  showPets(names);
  setInterval(refreshState, 60_000);
  await choose(current);
}

byId("pets").addEventListener("change", (event) => choose(event.target.value));
byId("care").addEventListener("click", (event) => { if (current && event.target.value) care(event.target.value); });
byId("stop").addEventListener("click", () => reply?.abort());
byId("compose").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("message"), text = field.value.trim();
  if (!text || reply) return;
  field.value = "";
  send(text);
});

new ResizeObserver(scrollToEnd).observe(byId("log"));

document.addEventListener("visibilitychange", listen);

start();
followWhileSeen();
