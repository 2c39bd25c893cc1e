// What pages read and write alike: elements, packed arrays, and numbers as every other output has them.
"use strict";

const TRACED = 1023;
const SIZES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f8: Float64Array };

function byId(id) { return document.getElementById(id); }

// Everything shown goes through textContent, so that no name can become markup.
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "text") element.textContent = value;
    else if (name === "part") element.style.setProperty("--p", value);
    else if (name === "click") element.addEventListener("click", value);
    else if (value !== null) element.setAttribute(name, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

async function unpacked(base64) {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// An array as reports.pages.explorer_data.Block keeps it: all lowest bytes first, then all second ones.
function arrayOf(raw, [offset, count, kind]) {
  const size = SIZES[kind].BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(count * size);
  for (let plane = 0; plane < size; plane++) {
    const from = offset + plane * count;
    for (let i = 0; i < count; i++) bytes[i * size + plane] = raw[from + i];
  }
  return new SIZES[kind](bytes.buffer);
}

function percent(code) {
  if (code === 0) return "-";
  return code === TRACED ? "<0.1 %" : (code / 10).toFixed(1) + " %";
}

// Within a sentence, where none is no dash.
function stated(code) { return code === 0 ? "0 %" : percent(code); }

// A probability in tenths of a percent, as `percent` takes it.
function coded(probability) {
  if (probability <= 0) return 0;
  return probability < 0.0005 ? TRACED : Math.max(1, Math.round(probability * 1000));
}

function part(code) { return code === TRACED ? 0.0003 : code / 1000; }

function signed(value) {
  const text = (Math.abs(value) / 10000).toFixed(4);
  return value === 0 ? text : (value > 0 ? "+" : "-") + text;
}
