// Reading a document: its text, the places that records rest on, words to find, pages. It is fetched once.
import { bring, fill, lastUpTo, paint, paints } from './reader_text.js'
import { arrange, follow, headsOf, measurePages, pageNamed, preparePages, setBeside, tellPageOf, turnTo } from './reader_pages.js'

const MOST_HITS = 5000, MOST_PLACES = 400
const KINDS = ['inserted', 'hidden', 'addressed']
const texts = new Map(), views = new WeakMap()

function unitOf(view, place) {
  const { units } = view.places
  if (!units.length) return ''
  for (let number = lastUpTo(units, place, (unit) => unit[1]); number >= 0 && units.length; number -= 1) {
    const [label, start, end] = units[number]
    if (start <= place && place < end) return label
    if (place - start > 200000) break
  }
  return ''
}

function bringPlace(view, span) {
  bring(view, span)
  tellPageOf(view, span[0])
}

function go(view, span, at) {
  view.span = span
  view.at = at
  paint(view, 'r3-current', 9, [span])
  bringPlace(view, span)
  view.box.scrollIntoView({ block: 'nearest' })
  say(view)
}

function placesWord(view) {
  const { marks } = view.data
  const quoted = marks.some((one) => one[2].length)
  if (quoted) return `${marks.length} ${marks.length === 1 ? 'quote' : 'quotes'} that records rest on`
  return `${marks.length} ${marks.length === 1 ? 'place' : 'places'} marked`
}

function say(view) {
  const { marks } = view.data
  const here = view.at >= 0 ? marks[view.at] : null
  const unit = view.span ? unitOf(view, view.span[0]) : ''
  const parts = []
  if (here) parts.push(`${here[2].length ? 'Quote' : 'Place'} ${view.at + 1} of ${marks.length}`)
  else if (view.span) parts.push('The place asked for')
  else if (marks.length) parts.push(placesWord(view))
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

function look(view) {
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
  paint(view, 'r3-found', 5, view.hits)
  view.back.disabled = view.forth.disabled = !view.hits.length
  return words
}

function find(view) {
  const words = look(view)
  if (view.hits.length) findNext(view, 1)
  else view.count.textContent = words ? 'not in this document' : ''
}

function findNext(view, by) {
  const { hits } = view
  if (!hits.length) return
  view.hit = (view.hit + by + hits.length) % hits.length
  view.count.textContent = `${view.hit + 1} of ${hits.length}${hits.length === MOST_HITS ? '+' : ''}`
  bringPlace(view, hits[view.hit])
}

function jumps(view) {
  const units = view.heads.length > 1 ? [] : view.places.units
  view.jump.hidden = units.length < 2
  const select = view.jump.querySelector('select')
  select.textContent = ''
  const shown = units.length > MOST_PLACES ? units.filter((_, at) => at % Math.ceil(units.length / MOST_PLACES) === 0) : units
  for (const [at, [label]] of [['', ['a place …']], ...shown.entries()]) {
    const option = document.createElement('option')
    option.value = at
    option.textContent = label
    select.append(option)
  }
  select.onchange = () => {
    if (select.value === '') return
    const [, start, end] = shown[Number(select.value)]
    bring(view, [start, Math.min(start + 1, end)])
    view.box.focus({ preventScroll: true })
  }
}

function paintFindings(view) {
  const { findings } = view.places
  for (const [number, kind] of KINDS.entries()) {
    const spans = findings.filter((one) => one.kind === kind && one.span).map((one) => one.span)
    paint(view, `r3-${kind}`, 1 + number, spans)
    view.legend.querySelector(`.${kind}`).hidden = !spans.length
  }
}

function open(view) {
  const { data } = view
  const { text, places } = texts.get(data.document)
  view.places = places
  fill(view, text, headsOf(view))
  preparePages(view)
  jumps(view)
  paintFindings(view)
  view.shown = data.document
  view.box.setAttribute('aria-label', `Text of ${data.title}`)
  view.box.dataset.shown = data.document
  view.box.scrollTop = 0
  view.asked = ''
  view.span = null
  view.at = -1
  paint(view, 'r3-current', 9, [])
  look(view)
  view.count.textContent = ''
}

function draw(view) {
  const { data } = view
  if (view.shown !== data.document) open(view)
  else arrange(view)
  paint(view, 'r3-evidence', 0, data.marks)
  view.quotes.hidden = !data.marks.length && !data.current
  view.previous.hidden = view.next.hidden = !data.marks.length
  view.legend.querySelector('.strong').hidden = view.quotes.hidden
  view.legend.querySelector('.pale').hidden = !data.marks.length
  view.legend.hidden = ![...view.legend.children].some((child) => !child.hidden)
  const asked = JSON.stringify(data.current)
  if (data.current && asked !== view.asked) {
    const [start, end] = data.current
    go(view, data.current, data.marks.findIndex((one) => one[0] === start && one[1] === end))
  } else say(view)
  view.asked = asked
}

async function ask(data, url) {
  const reply = await fetch(new URL(url, location.origin).href, { headers: { [data.tokenHeader]: data.token } })
  if (!reply.ok) throw new Error((await reply.json()).fault)
  return reply
}

async function load(view) {
  const { data } = view, id = data.document
  try {
    const [text, places] = await Promise.all([ask(data, data.url), ask(data, data.places)])
    const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await text.arrayBuffer())
    const known = await places.json()
    texts.clear()
    texts.set(id, { text: decoded, places: known })
    view.trouble.textContent = ''
  } catch (error) {
    view.trouble.textContent = error instanceof TypeError ? 'The app does not answer. Reload the page.' : error.message
  }
  if (view.data.document === id && texts.has(id)) draw(view)
}

function partsOf(component) {
  const part = (selector) => component.parentElement.querySelector(selector)
  return {
    box: part('.text'), quotes: part('.quotes'), status: part('.status'), records: part('.records'), legend: part('.legend'),
    jump: part('.jump'), find: part('.find'), back: part('.find-previous'), forth: part('.find-next'), count: part('.hits'),
    trouble: part('.trouble'), reading: part('.reading'), side: part('.side'), picture: part('.side img'),
    pictureTold: part('.picture-told'), besideButton: part('.beside'), enlarge: part('.enlarge'),
    pager: part('.pager'), pageOf: part('.page-of'), pageBack: part('.page-previous'), pageForth: part('.page-next'),
    pageField: part('.page-field'), previous: part('.previous'), next: part('.next'),
  }
}

function onEnter(field, act) {
  field.onkeydown = (event) => {
    event.stopPropagation()
    if (event.key === 'Enter') act(event)
  }
}

function turnToNamed(view) {
  const words = view.pageField.value.trim()
  if (!words) return
  const found = pageNamed(view, words)
  view.pageField.setCustomValidity(found < 0 ? 'There is no such page.' : '')
  view.pageField.reportValidity()
  if (found >= 0) turnTo(view, found)
}

function build(component) {
  const view = {
    ...partsOf(component), blocks: [], heads: [], pictures: new Map(), painted: new Set(), text: '', span: null, at: -1,
    hits: [], hit: -1, shown: '', asked: '', page: -1, sought: -1, pictured: '', places: { units: [], heads: [], findings: [] },
  }
  view.previous.onclick = () => step(view, -1)
  view.next.onclick = () => step(view, 1)
  view.back.onclick = () => findNext(view, -1)
  view.forth.onclick = () => findNext(view, 1)
  view.find.oninput = () => find(view)
  onEnter(view.find, (event) => findNext(view, event.shiftKey ? -1 : 1))
  view.pageBack.onclick = () => turnTo(view, view.page - 1)
  view.pageForth.onclick = () => turnTo(view, view.page + 1)
  view.pageField.oninput = () => view.pageField.setCustomValidity('')
  onEnter(view.pageField, () => turnToNamed(view))
  view.besideButton.onclick = () => setBeside(view, view.besideButton.getAttribute('aria-pressed') !== 'true')
  view.enlarge.onclick = () => {
    const large = view.side.classList.toggle('large')
    view.enlarge.setAttribute('aria-pressed', String(large))
  }
  view.box.onkeydown = (event) => event.stopPropagation()
  view.box.onscroll = () => follow(view)
  measurePages(view)
  return view
}

export function show(component) {
  const { data, parentElement } = component
  const view = views.get(parentElement) || build(component)
  views.set(parentElement, view)
  view.component = component
  view.data = data
  view.reading.style.height = data.height
  if (texts.has(data.document)) draw(view)
  else load(view)
  return () => { if (paints) for (const name of view.painted) CSS.highlights.delete(name) }
}
