"use strict";
const COLORS = ["#0b57d0", "#b06000", "#137333", "#a142f4", "#c5221f", "#00838f"];
const $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem("token");
let period = "hour";
let found = null;

async function ask(path, options = {}) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401) throw new Error("token");
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.json();
}

function make(kind, text, attributes = {}) {
  const element = document.createElement(kind);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function money(value) {
  return value === null ? "" : value.toLocaleString("en", { minimumFractionDigits: 2,
    maximumFractionDigits: 2 });
}

function row(cells, numbers) {
  const line = make("tr");
  cells.forEach((cell, i) => line.append(
    i ? make("td", cell, numbers ? { class: "number" } : {}) : make("th", cell, { scope: "row" })));
  return line;
}

function showSummary() {
  const totals = found.totals.models[found.totals.champion];
  const best = Math.min(totals.never, totals.always);
  const saved = best - totals.paid;
  let text = `${totals.events.toLocaleString("en")} events decided, ` +
    `${totals.labels.toLocaleString("en")} labeled. `;
  if (totals.labels) {
    const policy = totals.never <= totals.always ? "never acting" : "always acting";
    text += saved >= 0 ? `Paid ${money(totals.paid)}: ${money(saved)} less than ${policy}.`
      : `Paid ${money(totals.paid)}: ${money(-saved)} more than ${policy}.`;
  }
  if ($("summary").textContent !== text) $("summary").textContent = text;
}

function showMoney() {
  const { champion, models } = found.totals;
  const totals = models[champion];
  const each = (cost) => totals.labels ? money(cost / totals.labels) : "";
  const rows = [[`${champion} (decides)`, money(totals.paid), each(totals.paid), ""],
    ["never acting", money(totals.never), each(totals.never), ""],
    ["always acting", money(totals.always), each(totals.always), ""]];
  for (const [name, one] of Object.entries(models)) {
    if (name === champion) continue;
    const lead = one.lead;
    const range = lead === null ? "" : lead.interval === null ? `${money(lead.saved)} (too few labels)`
      : `${money(lead.saved)} (${money(lead.interval[0])} to ${money(lead.interval[1])})`;
    const cost = one.labels ? money(one.paid / one.labels) : "";
    rows.push([name, money(one.paid), cost, range]);
  }
  $("money").tBodies[0].replaceChildren(...rows.map((cells) => row(cells, true)));
}

function periods() {
  const length = period === "hour" ? 1 : 24;
  const sums = new Map();
  for (const one of found.hours) {
    const start = Math.floor(one.hour / length) * length;
    if (!sums.has(start)) sums.set(start, { labels: 0, events: 0, costs: {} });
    const sum = sums.get(start);
    sum.labels += one.labels;
    sum.events += one.events;
    for (const [name, cost] of Object.entries(one.costs)) {
      sum.costs[name] = (sum.costs[name] || 0) + cost;
    }
  }
  return [...sums].sort((a, b) => a[0] - b[0]).slice(-72);
}

function when(hour) {
  const text = new Date(hour * 3600e3).toISOString();
  return period === "hour" ? `${text.slice(5, 10)} ${text.slice(11, 13)} h` : text.slice(0, 10);
}

function showPeriods() {
  const shown = periods();
  const names = [...new Set(shown.flatMap(([, sum]) => Object.keys(sum.costs)))];
  const head = make("tr");
  ["from (UTC)", "events", "labels", ...names].forEach(
    (name) => head.append(make("th", name, { scope: "col" })));
  $("periods").tHead.replaceChildren(head);
  $("periods").tBodies[0].replaceChildren(...shown.map(([start, sum]) => row(
    [when(start), sum.events, sum.labels, ...names.map((name) => money(sum.costs[name] || 0))],
    true)));
  draw(shown.filter(([, sum]) => sum.labels), names);
}

function svg(kind, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function draw(shown, names) {
  const title = $("chart-title");
  const parts = [title];
  const [left, right, top, bottom] = [60, 710, 10, 225];
  const values = shown.flatMap(([, sum]) => names.map((n) => (sum.costs[n] || 0) / sum.labels));
  const highest = Math.max(1e-9, ...values);
  const x = (i) => left + (right - left) * (shown.length > 1 ? i / (shown.length - 1) : 0.5);
  const y = (value) => bottom - (bottom - top) * value / highest;
  for (const share of [0, 0.5, 1]) {
    const height = y(share * highest);
    parts.push(svg("line", { x1: left, x2: right, y1: height, y2: height, class: "axis" }));
    parts.push(svg("text", { x: left - 6, y: height + 4, "text-anchor": "end" },
      money(share * highest)));
  }
  const legend = [];
  names.forEach((name, k) => {
    const color = COLORS[k % COLORS.length];
    const dash = k % 2 ? "5 4" : "none";
    const points = shown.map(([, sum], i) => `${x(i)},${y((sum.costs[name] || 0) / sum.labels)}`);
    parts.push(svg("polyline", { points: points.join(" "), fill: "none", stroke: color,
      "stroke-width": 2, "stroke-dasharray": dash }));
    if (shown.length === 1) {
      const [cx, cy] = points[0].split(",");
      parts.push(svg("circle", { cx, cy, r: 4, fill: color }));
    }
    const entry = make("span", `${k % 2 ? "╌╌" : "──"} ${name}`);
    entry.style.color = color;
    legend.push(entry);
  });
  if (shown.length) {
    parts.push(svg("text", { x: left, y: 245 }, when(shown[0][0])));
    if (shown.length > 1) {
      parts.push(svg("text", { x: right, y: 245, "text-anchor": "end" },
        when(shown[shown.length - 1][0])));
    }
  }
  $("chart").replaceChildren(...parts);
  $("legend").replaceChildren(...legend);
}

async function judge(id, label, line) {
  line.querySelectorAll("button").forEach((button) => { button.disabled = true; });
  try {
    await ask("v1/labels", { method: "POST", body: JSON.stringify({ id, label }) });
    await update();
  } catch (error) {
    line.querySelectorAll("button").forEach((button) => { button.disabled = false; });
    $("summary").textContent = error.message;
  }
}

function showReviews() {
  const reviews = found.reviews || [];
  $("no-reviews").hidden = reviews.length > 0;
  $("reviews").hidden = reviews.length === 0;
  const key = (one) => `${one.decision.id} ${one.reasons === null ? "" : "explained"}`;
  const known = new Set([...$("reviews").tBodies[0].rows].map((line) => line.dataset.key));
  const same = known.size === reviews.length && reviews.every((one) => known.has(key(one)));
  if (same) return; // do not move the buttons under a finger
  $("reviews").tBodies[0].replaceChildren(...reviews.map((one) => {
    const { id, probability, expected_cost: cost } = one.decision;
    const fields = Object.entries(one.event || {}).map(([n, v]) => `${n}: ${v}`).join(", ");
    const reasons = (one.reasons || []).map((r) => `${r.field} (+${money(r.amount)})`).join(", ");
    const line = row([id, probability.toFixed(4), money(cost), reasons, fields], false);
    line.dataset.key = key(one);
    const buttons = make("td");
    for (const [text, label] of [["positive", true], ["negative", false]]) {
      const button = make("button", text, { type: "button", "aria-label": `${id} was ${text}` });
      button.addEventListener("click", () => judge(id, label, line));
      buttons.append(button, " ");
    }
    line.append(buttons);
    return line;
  }));
}

function showLabels() {
  const totals = found.totals.models[found.totals.champion];
  const open = totals.events - totals.labels;
  let text = `${totals.labels.toLocaleString("en")} labels, ${totals.positives.toLocaleString("en")}` +
    ` of them positive; ${open.toLocaleString("en")} events have none yet.`;
  if (found.last_label !== null) {
    text += ` The last one came ${new Date(found.last_label * 1e3).toISOString().slice(0, 19)} UTC.`;
  }
  $("labels").textContent = text;
}

function showAlarms() {
  $("alarms").hidden = found.alarms.length === 0;
  const texts = [...$("alarm-list").children].map((item) => item.textContent);
  if (texts.join("\n") !== found.alarms.join("\n")) {
    $("alarm-list").replaceChildren(...found.alarms.map((text) => make("li", text)));
  }
}

async function update() {
  try {
    found = await ask("v1/page");
    $("login").hidden = true;
    showSummary(); showAlarms(); showMoney(); showPeriods(); showReviews(); showLabels();
  } catch (error) {
    if (error.message === "token") {
      $("login").hidden = false;
      $("summary").textContent = "This service needs a token.";
    } else {
      $("summary").textContent = `No answer from the service: ${error.message}`;
    }
  }
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value;
  sessionStorage.setItem("token", token);
  update();
});
for (const one of ["hour", "day"]) {
  $(`by-${one}`).addEventListener("click", () => {
    period = one;
    for (const other of ["hour", "day"]) {
      $(`by-${other}`).setAttribute("aria-pressed", String(other === one));
    }
    if (found) showPeriods();
  });
}
update();
setInterval(update, 2000);
