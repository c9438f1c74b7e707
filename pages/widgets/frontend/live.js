// Cards of relevance snippets that fetch what changed, twice a second while the run is at work.
// Text from documents and models goes into the page as text nodes only.
// Of many documents, only the cards near the window are drawn; the others when they come near.
const EVERY = 500, SLOWEST = 8000, FRESH = 4000, FEW = 300, NEAR = '1500px 0px'
const instances = new WeakMap()
const FILTERS = [
  ['all', 'all documents', () => true],
  ['changed', 'changed in the last round', (entry) => last(entry)?.changed],
  ['said', 'with something to say', (entry) => last(entry)?.pieces.length],
  ['silent', 'with nothing to say', (entry) => last(entry) && !last(entry).fault && !last(entry).pieces.length],
  ['failed', 'failed', (entry) => last(entry)?.fault],
  ['foreign', 'with words from elsewhere', (entry) => last(entry)?.foreign.length],
  ['leans', 'that lean on other documents', (entry) => last(entry)?.leans.length],
  ['people', 'changed by people', (entry) => [...entry.rounds.values()].some((change) => change.people.length)],
  ['waiting', 'not read yet', (entry) => !last(entry)],
]

const last = (entry) => entry.rounds.get(entry.latest)

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

function sawNote(view, entry, change) {
  if (!/[0-9]/.test(change.saw)) return element('p', 'saw', `Its reader saw ${change.saw}.`)
  const made = element('details', 'saw')
  made.append(element('summary', '', `Its reader saw ${change.saw}`))
  made.ontoggle = async () => {
    if (!made.open || made.dataset.filled) return
    made.dataset.filled = 'yes'
    const room = made.appendChild(element('div', '', 'One moment.'))
    try {
      const { showSaw } = await import(new URL('/assets/live_saw.js', location.origin).href)
      await showSaw(view, entry, change.round, room)
    } catch (error) {
      room.textContent = error instanceof TypeError ? 'The app does not answer. Close this and open it again.' : error.message
      delete made.dataset.filled
    }
  }
  return made
}

function leansNote(view, leans) {
  const made = element('p', 'leans')
  leans.forEach(({ numbers, words }, at) => {
    made.append(at ? '; ' : 'Leans on ', numbers.length > 1 ? 'Documents ' : '')
    numbers.forEach((number, place) => {
      const [id, title] = view.data.documents[number - 1]
      const link = linkTo(view, id, numbers.length > 1 ? String(number) : `Document ${number}`)
      link.title = title
      made.append(place === 0 ? '' : place === numbers.length - 1 ? ' and ' : ', ', link)
    })
    if (words.length) made.append(`: ${words.join(', ')}`)
  })
  return made
}

function said(change, later, first) {
  if (change.fault) return [element('p', 'fault', `Failed: ${change.fault}`)]
  if (!change.pieces.length) return [element('p', 'empty', 'Nothing to say on this question.')]
  const text = textOf(later && later.before && !change.hidden ? later.before : change.pieces, first ? 'added' : '')
  if (change.hidden) text.classList.add('hidden-text')
  const made = [text]
  if (change.foreign.length) made.push(element('p', 'elsewhere', `Not in this document: ${change.foreign.join(', ')}`))
  return made
}

function aside(title, sentences) {
  const made = element('details', 'elsewhere')
  made.append(element('summary', '', title), ...sentences.map((sentence) => element('p', '', sentence)))
  return made
}

function cell(view, entry, number, next, first) {
  const made = element('div', 'cell')
  made.append(element('h4', '', `Round ${number}`))
  const change = entry.rounds.get(number), later = next && entry.rounds.get(next)
  if (!change) {
    made.append(element('p', 'empty', view.first ? 'One moment.' : view.active ? 'Waiting to be read.' : 'Not read.'))
    return made
  }
  for (const told of change.people) made.append(element('p', 'people', `✎ ${told}`))
  made.append(...said(change, later, first))
  if (change.byModel) made.append(aside('What the model said', [change.byModel]))
  if (change.leftOut.length) made.append(aside(`Set aside, not of this document (${change.leftOut.length})`, change.leftOut))
  if (change.leans.length && !first) made.append(leansNote(view, change.leans))
  if (change.saw) made.append(sawNote(view, entry, change))
  return made
}

function noteOf(entry, number) {
  const change = entry.rounds.get(number)
  if (!change || number === 1) return ''
  if (change.fault) return 'failed'
  if (change.carried) return 'carried over, not read again'
  if (!change.before) return ''
  if (!change.changed) return 'unchanged'
  if (!change.before.length) return 'new: it had nothing to say before'
  return change.pieces.length ? 'changed' : 'now has nothing to say'
}

function linkTo(view, id, title) {
  const link = element('a', '', title)
  link.href = view.data.page + encodeURIComponent(id)
  link.onclick = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return
    event.preventDefault()
    view.component.setTriggerValue('open', id)
  }
  return link
}

function draw(view, entry) {
  const shown = view.columns
  entry.stale = false
  const card = entry.card, open = new Set([...card.querySelectorAll('details[open]')].map(lineOf))
  card.textContent = ''
  const header = element('header')
  header.append(element('span', 'number', entry.number), linkTo(view, entry.id, entry.title), element('span', 'note', noteOf(entry, shown.at(-1))))
  if (!view.data.only) header.append(steerButton(view, entry))
  const columns = element('div', 'columns')
  columns.style.setProperty('--rounds', shown.length)
  columns.append(...shown.map((number, at) => cell(view, entry, number, shown[at + 1], !at)))
  card.append(header, columns)
  for (const each of card.querySelectorAll('details')) each.open = open.has(lineOf(each))
}

// What a person has opened stays open when its card is drawn again: told by its round and its first line.
function lineOf(details) {
  return `${details.closest('.cell').firstChild.textContent} ${details.firstChild.textContent}`
}

function steerButton(view, entry) {
  const made = element('button', 'steer', view.active ? 'All rounds' : 'Steer')
  made.type = 'button'
  made.title = 'All rounds of this document side by side, and what you can change'
  made.setAttribute('aria-label', `Steer document ${entry.number}`)
  made.onclick = () => view.component.setTriggerValue('steer', entry.id)
  return made
}

function holdsSelection(view, card) {
  const root = view.root.getRootNode()
  const selection = root.getSelection ? root.getSelection() : document.getSelection()
  return selection && !selection.isCollapsed && card.contains(selection.anchorNode)
}

function redraw(view, entry) {
  entry.stale = true
  if (entry.near) view.dirty.add(entry)
}

function flush(view) {
  for (const entry of [...view.dirty]) {
    if (holdsSelection(view, entry.card)) continue
    draw(view, entry)
    view.dirty.delete(entry)
  }
}

function wordsOf(entry) {
  if (entry.words === null) {
    const said = [...entry.rounds.values()].flatMap((change) => [change.pieces.map(([text]) => text).join(''), change.fault, ...change.foreign, ...change.leftOut, ...change.people])
    entry.words = [entry.title, ...said].join(' ').toLowerCase()
  }
  return entry.words
}

function choose(view) {
  const test = FILTERS.find(([name]) => name === view.filter.value)[2]
  const words = view.find.value.trim().toLowerCase()
  let shown = 0
  for (const entry of view.entries.values()) {
    const fits = test(entry) && (!words || wordsOf(entry).includes(words))
    if (entry.card.hidden === fits) entry.card.hidden = !fits
    shown += fits ? 1 : 0
  }
  view.none.hidden = shown > 0
}

function countFilters(view) {
  const entries = [...view.entries.values()]
  FILTERS.forEach(([, label, test], at) => {
    const text = `${label} (${entries.filter(test).length.toLocaleString('en')})`
    if (view.filter.options[at].textContent !== text) view.filter.options[at].textContent = text
  })
}

function take(view, news) {
  view.seq = news.seq
  if (view.active !== news.active) {
    view.active = news.active
    for (const entry of view.entries.values()) redraw(view, entry)
  }
  for (const change of news.changes) {
    const entry = view.entries.get(change.document)
    if (!entry) continue
    entry.rounds.set(change.round, change)
    entry.latest = Math.max(entry.latest, change.round)
    entry.words = null
    redraw(view, entry)
    if (!view.first) {
      entry.card.classList.add('fresh')
      setTimeout(() => entry.card.classList.remove('fresh'), FRESH)
    }
  }
  const told = view.first && !news.more
  if (told) {
    view.first = false
    for (const entry of view.entries.values()) redraw(view, entry)
  }
  if (told || view.first || news.changes.length) {
    flush(view)
    countFilters(view)
    choose(view)
  } else if (view.dirty.size) flush(view)
  if (view.summary.textContent !== news.summary) view.summary.textContent = news.summary
}

async function tick(view) {
  if (view.dead) return
  let wait = EVERY
  try {
    if (!document.hidden) {
      const { url, token, tokenHeader } = view.data
      const only = view.data.only ? `/${encodeURIComponent(view.data.only)}` : ''
      const reply = await fetch(new URL(`${url}/since/${view.seq}${only}`, location.origin).href, { headers: { [tokenHeader]: token } })
      const news = await reply.json()
      if (!reply.ok) throw new Error(news.fault)
      view.fails = 0
      view.trouble.textContent = ''
      view.heard = Date.now()
      take(view, news)
      if (news.more) wait = 0
      else if (!news.active && !view.dirty.size) { view.timer = 0; return }
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

function scrollerOf(node) {
  for (let at = node.getRootNode().host || node; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  }
  return null
}

function watchCards(view) {
  if (view.entries.size <= FEW) {
    for (const entry of view.entries.values()) draw(view, entry)
    return
  }
  view.eye = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      const entry = view.byCard.get(target)
      entry.near = isIntersecting
      if (isIntersecting && entry.stale) draw(view, entry)
    }
  }, { root: scrollerOf(view.root), rootMargin: NEAR })
  for (const card of view.byCard.keys()) view.eye.observe(card)
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
    component, data, linkTo, root: find('.cards'), filter: find('.filter'), find: find('.find'), pairs: find('.pair'), none: find('.none'),
    summary: find('.summary'), trouble: find('.trouble'), entries: new Map(), byCard: new Map(), dirty: new Set(),
    of: nameOf(data), seq: 0, active: data.active, first: true, fails: 0, heard: 0, dead: false, timer: 0,
  }
  view.root.textContent = view.filter.textContent = view.pairs.textContent = view.summary.textContent = ''
  view.root.parentElement.classList.toggle('one-round', data.rounds === 1)
  for (const [name, label] of FILTERS) view.filter.append(option(name, label))
  view.root.parentElement.classList.toggle('single', Boolean(data.only))
  for (let right = data.rounds; right > 1; right--) view.pairs.append(option(right, `round ${right - 1} with round ${right}`))
  if (data.rounds > 2) view.pairs.append(option('all', 'all rounds'))
  view.columns = columnsOf(data, data.only ? 'all' : data.rounds)
  data.documents.forEach(([id, title], at) => {
    if (data.only && data.only !== id) return
    const entry = { id, title, number: String(at + 1), rounds: new Map(), latest: 0, words: null, stale: true, card: element('li', 'card') }
    entry.near = data.documents.length <= FEW
    entry.card.dataset.number = entry.number
    view.entries.set(id, entry)
    view.byCard.set(entry.card, entry)
  })
  view.root.append(...view.byCard.keys())
  watchCards(view)
  view.filter.onchange = () => choose(view)
  view.find.oninput = () => choose(view)
  view.find.onkeydown = (event) => event.stopPropagation()
  view.pairs.onchange = () => {
    view.columns = columnsOf(view.data, view.pairs.value)
    for (const entry of view.entries.values()) redraw(view, entry)
    flush(view)
    choose(view)
  }
  countFilters(view)
  return view
}

function columnsOf(data, chosen) {
  const all = Array.from({ length: data.rounds }, (_, at) => at + 1)
  return chosen === 'all' ? all : all.slice(Math.max(Number(chosen) - 2, 0), Number(chosen))
}

const nameOf = (data) => JSON.stringify([data.run, data.only, data.rounds, data.stamp])

function leave(view) {
  view.dead = true
  clearTimeout(view.timer)
  view.eye?.disconnect()
}

export default function (component) {
  const { data, parentElement } = component
  let view = instances.get(parentElement)
  if (!view || view.of !== nameOf(data)) {
    if (view) leave(view)
    view = build(component)
    instances.set(parentElement, view)
    tick(view)
  } else {
    view.component = component
    view.data = data
    if (!view.timer && data.active) tick(view)
  }
  const mine = view
  return () => { leave(mine); instances.delete(parentElement) }
}
