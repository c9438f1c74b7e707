// Cards of relevance snippets that fetch what changed, twice a second while the run is at work.
// Text from documents and models goes into the page as text nodes only.
const EVERY = 500, SLOWEST = 8000, FRESH = 4000
const instances = new WeakMap()
const FILTERS = [
  ['all', 'all documents', () => true],
  ['changed', 'changed in the last round', (entry) => last(entry)?.changed],
  ['said', 'with something to say', (entry) => last(entry)?.pieces.length],
  ['silent', 'with nothing to say', (entry) => last(entry) && !last(entry).fault && !last(entry).pieces.length],
  ['failed', 'failed', (entry) => last(entry)?.fault],
  ['foreign', 'with words from elsewhere', (entry) => last(entry)?.foreign.length],
  ['waiting', 'not read yet', (entry) => !last(entry)],
]

const last = (entry) => entry.rounds.get(Math.max(0, ...entry.rounds.keys()))

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function textOf(pieces, without) {
  const made = element('div', 'text')
  for (const [text, marks] of pieces) {
    const kept = marks.split(' ').filter((mark) => mark && mark !== without).join(' ')
    made.append(kept ? element('span', kept, text) : document.createTextNode(text))
  }
  return made
}

function cell(view, entry, number, next) {
  const made = element('div', 'cell')
  made.append(element('h4', '', `Round ${number}`))
  const change = entry.rounds.get(number), later = next && entry.rounds.get(next)
  if (!change) {
    made.append(element('p', 'empty', view.active ? 'Waiting to be read.' : 'Not read.'))
  } else if (change.fault) {
    made.append(element('p', 'fault', `Failed: ${change.fault}`))
  } else if (!change.pieces.length) {
    made.append(element('p', 'empty', 'Nothing to say on this question.'))
  } else {
    made.append(later && later.before ? textOf(later.before) : textOf(change.pieces, next ? 'added' : ''))
    if (change.foreign.length) made.append(element('p', 'elsewhere', `Not in this document: ${change.foreign.join(', ')}`))
  }
  if (change && change.leftOut.length) {
    const aside = element('details', 'elsewhere')
    aside.append(element('summary', '', `Set aside, not of this document (${change.leftOut.length})`))
    for (const sentence of change.leftOut) aside.append(element('p', '', sentence))
    made.append(aside)
  }
  return made
}

function noteOf(entry, number) {
  const change = entry.rounds.get(number)
  if (!change || number === 1) return ''
  if (change.fault) return 'failed'
  if (!change.before) return ''
  if (!change.changed) return 'unchanged'
  if (!change.before.length) return 'new: it had nothing to say before'
  return change.pieces.length ? 'changed' : 'now has nothing to say'
}

function draw(view, entry) {
  const [left, right] = view.pair
  const card = entry.card
  card.textContent = ''
  const header = element('header')
  const link = element('a', '', entry.title)
  link.href = entry.url
  link.onclick = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return
    event.preventDefault()
    view.component.setTriggerValue('open', entry.id)
  }
  header.append(element('span', 'number', entry.number), link, element('span', 'note', noteOf(entry, right)))
  const columns = element('div', left ? 'columns two' : 'columns')
  if (left) columns.append(cell(view, entry, left, right))
  columns.append(cell(view, entry, right))
  card.append(header, columns)
}

function holdsSelection(view, card) {
  const root = view.root.getRootNode()
  const selection = root.getSelection ? root.getSelection() : document.getSelection()
  return selection && !selection.isCollapsed && card.contains(selection.anchorNode)
}

function flush(view) {
  for (const entry of [...view.dirty]) {
    if (holdsSelection(view, entry.card)) continue
    draw(view, entry)
    view.dirty.delete(entry)
  }
}

function choose(view) {
  const test = FILTERS.find(([name]) => name === view.filter.value)[2]
  const words = view.find.value.trim().toLowerCase()
  let shown = 0
  for (const entry of view.entries.values()) {
    const fits = test(entry) && (!words || entry.card.textContent.toLowerCase().includes(words))
    entry.card.hidden = !fits
    shown += fits ? 1 : 0
  }
  view.none.hidden = shown > 0
}

function countFilters(view) {
  const entries = [...view.entries.values()]
  FILTERS.forEach(([, label, test], at) => {
    const text = `${label} (${entries.filter(test).length})`
    if (view.filter.options[at].textContent !== text) view.filter.options[at].textContent = text
  })
}

function take(view, news) {
  view.seq = news.seq
  if (view.active !== news.active) {
    view.active = news.active
    for (const entry of view.entries.values()) view.dirty.add(entry)
  }
  for (const change of news.changes) {
    const entry = view.entries.get(change.document)
    if (!entry) continue
    entry.rounds.set(change.round, change)
    view.dirty.add(entry)
    if (!view.first) {
      entry.card.classList.add('fresh')
      setTimeout(() => entry.card.classList.remove('fresh'), FRESH)
    }
  }
  if (view.first || news.changes.length) {
    flush(view)
    countFilters(view)
    choose(view)
  } else if (view.dirty.size) flush(view)
  if (view.summary.textContent !== news.summary) view.summary.textContent = news.summary
  view.first = false
}

async function tick(view) {
  if (view.dead) return
  let wait = EVERY
  try {
    if (!document.hidden) {
      const { url, token, tokenHeader } = view.data
      const reply = await fetch(new URL(`${url}/since/${view.seq}`, location.origin).href, { headers: { [tokenHeader]: token } })
      const news = await reply.json()
      if (!reply.ok) throw new Error(news.fault)
      view.fails = 0
      view.trouble.textContent = ''
      view.heard = Date.now()
      take(view, news)
      if (!news.active && !view.dirty.size) { view.timer = 0; return }
    }
  } catch (error) {
    view.fails += 1
    wait = Math.min(EVERY * 2 ** view.fails, SLOWEST)
    const ago = view.heard ? ` Last heard ${Math.round((Date.now() - view.heard) / 1000)} seconds ago.` : ''
    const why = error instanceof TypeError ? 'The app does not answer.' : error.message
    if (view.fails > 2) view.trouble.textContent = `${why}${ago} The run itself goes on. Trying again.`
  }
  if (!view.dead) view.timer = setTimeout(() => tick(view), wait)
}

function option(value, text) {
  const made = element('option', '', text)
  made.value = value
  return made
}

function build(component) {
  const { data, parentElement } = component
  const find = (selector) => parentElement.querySelector(selector)
  const view = {
    component, data, root: find('.cards'), filter: find('.filter'), find: find('.find'), pairs: find('.pair'), none: find('.none'),
    summary: find('.summary'), trouble: find('.trouble'), entries: new Map(), dirty: new Set(),
    run: data.run, seq: 0, active: data.active, first: true, fails: 0, heard: 0, dead: false, timer: 0,
  }
  view.root.textContent = view.filter.textContent = view.pairs.textContent = view.summary.textContent = ''
  view.root.parentElement.classList.toggle('one-round', data.rounds === 1)
  for (const [name, label] of FILTERS) view.filter.append(option(name, label))
  for (let right = data.rounds; right > 1; right--) view.pairs.append(option(right, `round ${right - 1} with round ${right}`))
  view.pair = data.rounds > 1 ? [data.rounds - 1, data.rounds] : [0, 1]
  for (const found of data.documents) {
    const entry = { ...found, rounds: new Map(), card: element('li', 'card') }
    entry.card.dataset.number = found.number
    view.entries.set(found.id, entry)
    view.root.append(entry.card)
    draw(view, entry)
  }
  view.filter.onchange = () => choose(view)
  view.find.oninput = () => choose(view)
  view.find.onkeydown = (event) => event.stopPropagation()
  view.pairs.onchange = () => {
    const right = Number(view.pairs.value)
    view.pair = [right - 1, right]
    for (const entry of view.entries.values()) draw(view, entry)
    choose(view)
  }
  countFilters(view)
  return view
}

export default function (component) {
  const { data, parentElement } = component
  let view = instances.get(parentElement)
  if (!view || view.run !== data.run) {
    if (view) { view.dead = true; clearTimeout(view.timer) }
    view = build(component)
    instances.set(parentElement, view)
    tick(view)
  } else {
    view.component = component
    view.data = data
    if (!view.timer && data.active) tick(view)
  }
  const mine = view
  return () => { mine.dead = true; clearTimeout(mine.timer); instances.delete(parentElement) }
}
