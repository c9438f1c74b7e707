// A document's text as blocks of the page, and places in it. Offsets are UTF-16 units into the text, which goes into
// the page as text nodes only.
const BLOCK = 1500, LONGEST = 6000, SAMPLE = 20000
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g, LETTERS = /\p{L}/gu
export const paints = Boolean(globalThis.Highlight && CSS.highlights)

function endAfter(text, at, limit) {
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
  return Math.min(end, limit)
}

// Ends of the blocks: paragraphs, cut where they are very long, and at every start of a page.
function cut(text, starts) {
  const ends = []
  let next = 0
  for (let at = 0; at < text.length;) {
    while (next < starts.length && starts[next] <= at) next += 1
    at = endAfter(text, at, next < starts.length ? starts[next] : text.length)
    ends.push(at)
  }
  return ends
}

export function runsFromTheRight(text) {
  const sample = text.slice(0, SAMPLE)
  return (sample.match(RIGHT_TO_LEFT) || []).length * 2 > (sample.match(LETTERS) || []).length
}

function line(className, words) {
  const element = document.createElement('div')
  element.className = className
  element.textContent = words
  return element
}

// `heads` are elements with the place they stand before, in order: [at, element].
export function fill(view, text, heads) {
  view.box.textContent = ''
  view.blocks = []
  view.box.dir = runsFromTheRight(text) ? 'rtl' : 'ltr'
  const made = document.createDocumentFragment()
  let start = 0, next = 0
  const headsUpTo = (place) => { while (next < heads.length && heads[next][0] <= place) made.append(heads[next++][1]) }
  for (const end of cut(text, heads.map(([at]) => at))) {
    headsUpTo(start)
    const element = line('block', text.slice(start, end))
    element.dir = element.textContent.search(LETTERS) < 0 ? view.box.dir : 'auto'
    made.append(element)
    view.blocks.push({ start, end, element })
    start = end
  }
  headsUpTo(Infinity)
  if (!text.trim()) made.append(line('nothing', 'This document has no text.'))
  view.box.append(made)
  view.text = text
}

// The last of `things` whose place is not after `place`, by their numbers.
export function lastUpTo(things, place, placeOf) {
  let low = 0, high = things.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (placeOf(things[middle]) <= place) low = middle
    else high = middle - 1
  }
  return low
}

const blockAt = (view, place) => view.blocks[lastUpTo(view.blocks, place, (block) => block.start)]

function rangeOf(view, [start, end]) {
  if (start >= view.text.length || end <= start) return null
  const first = blockAt(view, start), last = blockAt(view, Math.min(end, view.text.length) - 1)
  const range = new Range()
  range.setStart(first.element.firstChild, start - first.start)
  range.setEnd(last.element.firstChild, Math.min(end - last.start, last.end - last.start))
  return range
}

export function paint(view, name, priority, spans) {
  if (!paints) return
  const highlight = new Highlight(...spans.map((span) => rangeOf(view, span)).filter(Boolean))
  highlight.priority = priority
  CSS.highlights.set(name, highlight)
  view.painted.add(name)
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

function settleAt(view, element, sought, share) {
  const settle = () => {
    const place = sought.getBoundingClientRect(), box = view.box.getBoundingClientRect()
    view.box.scrollTop += place.top - box.top - box.height * share
  }
  view.box.scrollTop = element.offsetTop
  settle()
  requestAnimationFrame(settle)
}

export function bring(view, span) {
  if (span[0] >= view.text.length) return
  if (!paints) mark(view, span)
  const sought = paints ? rangeOf(view, span) : view.box.querySelector('mark')
  if (sought) settleAt(view, blockAt(view, span[0]).element, sought, 1 / 3)
}

export const bringElement = (view, element) => settleAt(view, element, element, 0.01)
