// A document's text with the places that records rest on. Offsets are UTF-16 units into the text.
// The text is fetched once and goes into the page as text nodes only.
const BLOCK = 1500, LONGEST = 6000, MOST_HITS = 5000
const texts = new Map(), views = new WeakMap()
const paints = Boolean(globalThis.Highlight && CSS.highlights)

function cut(text) {
  const ends = []
  for (let at = 0; at < text.length;) {
    let end = text.indexOf('\n\n', at)
    end = end < 0 ? text.length : end + 2
    while (text[end] === '\n') end += 1
    if (end - at > BLOCK) {
      const line = text.indexOf('\n', at + BLOCK)
      if (line >= 0 && line + 1 < end) end = line + 1
    }
    if (end - at > LONGEST) {
      const blank = text.lastIndexOf(' ', at + LONGEST)
      end = blank > at ? blank + 1 : at + LONGEST
      if (/[\uD800-\uDBFF]/.test(text[end - 1])) end -= 1
    }
    ends.push(end)
    at = end
  }
  return ends
}

function fill(view, text) {
  view.box.textContent = ''
  view.blocks = []
  const made = document.createDocumentFragment()
  let start = 0
  for (const end of cut(text)) {
    const element = document.createElement('div')
    element.textContent = text.slice(start, end)
    made.append(element)
    view.blocks.push({ start, end, element })
    start = end
  }
  if (!text.trim()) {
    const nothing = document.createElement('div')
    nothing.className = 'nothing'
    nothing.textContent = 'This document has no text.'
    made.append(nothing)
  }
  view.box.append(made)
  view.text = text
}

function blockAt(view, place) {
  let low = 0, high = view.blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (view.blocks[middle].start <= place) low = middle
    else high = middle - 1
  }
  return view.blocks[low]
}

function rangeOf(view, [start, end]) {
  if (start >= view.text.length) return null
  const first = blockAt(view, start), last = blockAt(view, Math.min(end, view.text.length) - 1)
  const range = new Range()
  range.setStart(first.element.firstChild, start - first.start)
  range.setEnd(last.element.firstChild, Math.min(end - last.start, last.end - last.start))
  return range
}

function paint(view, name, priority, spans) {
  if (!paints) return
  const highlight = new Highlight(...spans.map((span) => rangeOf(view, span)).filter(Boolean))
  highlight.priority = priority
  CSS.highlights.set(name, highlight)
}

function unmark(view) {
  for (const mark of view.box.querySelectorAll('mark')) {
    const parent = mark.parentNode
    mark.replaceWith(...mark.childNodes)
    parent.normalize()
  }
}

// For browsers that cannot paint ranges: only the current place, block by block. Ranges count letters of whole
// blocks, so earlier marks are taken away first.
function mark(view, span) {
  unmark(view)
  for (const block of view.blocks) {
    if (block.end <= span[0] || block.start >= span[1]) continue
    const range = new Range()
    range.setStart(block.element.firstChild, Math.max(span[0] - block.start, 0))
    range.setEnd(block.element.firstChild, Math.min(span[1], block.end) - block.start)
    range.surroundContents(document.createElement('mark'))
  }
}

function bring(view, span) {
  if (span[0] >= view.text.length) return
  if (!paints) mark(view, span)
  const sought = paints ? rangeOf(view, span) : view.box.querySelector('mark')
  const settle = () => {
    const place = sought.getBoundingClientRect(), box = view.box.getBoundingClientRect()
    view.box.scrollTop += place.top - box.top - box.height / 3
  }
  view.box.scrollTop = blockAt(view, span[0]).element.offsetTop
  settle()
  requestAnimationFrame(settle)
}

function unitOf(view, place) {
  let found = ''
  for (const [label, start, end] of view.data.units) if (start <= place && place < end) found = label
  return found
}

function go(view, span, at) {
  view.span = span
  view.at = at
  paint(view, 'r3-current', 2, [span])
  bring(view, span)
  view.box.scrollIntoView({ block: 'nearest' })
  say(view)
}

function say(view) {
  const { marks } = view.data
  const here = view.at >= 0 ? marks[view.at] : null
  const unit = view.span ? unitOf(view, view.span[0]) : ''
  const parts = []
  if (here) parts.push(`Quote ${view.at + 1} of ${marks.length}`)
  else if (view.span) parts.push('The place asked for')
  else if (marks.length) parts.push(`${marks.length} ${marks.length === 1 ? 'quote' : 'quotes'} that records rest on`)
  if (unit) parts.push(unit)
  view.status.textContent = parts.join(' · ')
  view.records.textContent = ''
  for (const [id, label] of here ? here[2] : []) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = label
    button.title = 'Show this record'
    button.onclick = () => view.component.setTriggerValue('record', id)
    view.records.append(button)
  }
}

function step(view, by) {
  const { marks } = view.data
  if (!marks.length) return
  let at = view.at + by
  if (view.at < 0 && view.span) {
    const after = marks.findIndex(([start]) => start > view.span[0])
    at = after < 0 ? (by > 0 ? 0 : marks.length - 1) : by > 0 ? after : after - 1
  } else if (view.at < 0) at = by > 0 ? 0 : marks.length - 1
  at = (at + marks.length) % marks.length
  go(view, marks[at], at)
}

function find(view) {
  const words = view.find.value.trim()
  view.hits = []
  view.hit = -1
  if (words) {
    const pattern = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')
    for (const { index, 0: found } of view.text.matchAll(new RegExp(pattern, 'giu'))) {
      view.hits.push([index, index + found.length])
      if (view.hits.length === MOST_HITS) break
    }
  }
  paint(view, 'r3-found', 1, view.hits)
  view.back.disabled = view.forth.disabled = !view.hits.length
  if (view.hits.length) findNext(view, 1)
  else view.count.textContent = words ? 'not in this document' : ''
}

function findNext(view, by) {
  const { hits } = view
  if (!hits.length) return
  view.hit = (view.hit + by + hits.length) % hits.length
  view.count.textContent = `${view.hit + 1} of ${hits.length}${hits.length === MOST_HITS ? '+' : ''}`
  bring(view, hits[view.hit])
}

function jumps(view) {
  const { units } = view.data
  view.jump.hidden = units.length < 2
  const select = view.jump.querySelector('select')
  select.textContent = ''
  for (const [at, [label]] of [['', ['a place …']], ...units.entries()]) {
    const option = document.createElement('option')
    option.value = at
    option.textContent = label
    select.append(option)
  }
  select.onchange = () => {
    if (select.value === '') return
    const [, start, end] = view.data.units[Number(select.value)]
    bring(view, [start, Math.min(start + 1, end)])
    view.box.focus({ preventScroll: true })
  }
}

function show(view) {
  const { data } = view
  if (view.shown !== data.document) {
    fill(view, texts.get(data.document))
    jumps(view)
    view.shown = data.document
    view.box.setAttribute('aria-label', `Text of ${data.title}`)
    view.box.dataset.shown = data.document
    view.box.scrollTop = 0
    view.asked = ''
    view.span = null
    view.at = -1
    paint(view, 'r3-current', 2, [])
    find(view)
  }
  paint(view, 'r3-evidence', 0, data.marks)
  view.quotes.hidden = !data.marks.length && !data.current
  view.legend.hidden = view.quotes.hidden
  const asked = JSON.stringify(data.current)
  if (data.current && asked !== view.asked) {
    const [start, end] = data.current
    go(view, data.current, data.marks.findIndex((one) => one[0] === start && one[1] === end))
  } else say(view)
  view.asked = asked
}

async function load(view) {
  const { document: id, url, token, tokenHeader } = view.data
  try {
    const reply = await fetch(new URL(url, location.origin).href, { headers: { [tokenHeader]: token } })
    if (!reply.ok) throw new Error((await reply.json()).fault)
    texts.clear()
    texts.set(id, new TextDecoder('utf-8', { ignoreBOM: true }).decode(await reply.arrayBuffer()))
    view.trouble.textContent = ''
  } catch (error) {
    view.trouble.textContent = error instanceof TypeError ? 'The app does not answer. Reload the page.' : error.message
  }
  if (view.data.document === id && texts.has(id)) show(view)
}

function build(component) {
  const part = (selector) => component.parentElement.querySelector(selector)
  const view = {
    box: part('.text'), quotes: part('.quotes'), status: part('.status'), records: part('.records'), legend: part('.legend'),
    jump: part('.jump'), find: part('.find'), back: part('.find-previous'), forth: part('.find-next'), count: part('.hits'),
    trouble: part('.trouble'), blocks: [], text: '', span: null, at: -1, hits: [], hit: -1, shown: '', asked: '',
  }
  part('.previous').onclick = () => step(view, -1)
  part('.next').onclick = () => step(view, 1)
  view.back.onclick = () => findNext(view, -1)
  view.forth.onclick = () => findNext(view, 1)
  view.find.oninput = () => find(view)
  view.find.onkeydown = (event) => {
    event.stopPropagation()
    if (event.key === 'Enter') findNext(view, event.shiftKey ? -1 : 1)
  }
  view.box.onkeydown = (event) => event.stopPropagation()
  return view
}

export default function (component) {
  const { data, parentElement } = component
  const view = views.get(parentElement) || build(component)
  views.set(parentElement, view)
  view.component = component
  view.data = data
  view.box.style.height = data.height
  if (texts.has(data.document)) show(view)
  else load(view)
  return () => { for (const name of ['r3-evidence', 'r3-current', 'r3-found']) if (paints) CSS.highlights.delete(name) }
}
