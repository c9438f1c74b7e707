// The pages of a document: a line above each, a stepper, a field that takes a printed label, a page of the file or a
// production number, the page's picture beside its text, and what was set aside on it.
import { bringElement, lastUpTo } from './reader_text.js'

const KEPT_PICTURES = 6
let beside = false

function element(name, className, words) {
  const made = document.createElement(name)
  made.className = className
  made.textContent = words
  return made
}

function asideOf(finding) {
  const made = element('details', 'aside', '')
  made.append(element('summary', '', finding.title))
  const words = element('p', '', finding.text)
  words.dir = 'auto'
  made.append(words)
  return made
}

// Lines that stand above pages, with what was set aside there; each with the place it stands before.
export function headsOf(view) {
  const { heads, findings } = view.places
  const aside = findings.filter((finding) => !finding.span)
  const made = []
  const loose = aside.filter((finding) => finding.head < 0)
  if (loose.length) {
    const top = element('div', 'head', '')
    top.append(...loose.map(asideOf))
    made.push([0, top])
  }
  view.heads = heads.map((head, number) => {
    const line = element('div', 'head', '')
    line.append(element('span', 'label', head.label))
    if (head.note) line.append(element('span', head.unread ? 'note unread' : 'note', head.note))
    line.append(...aside.filter((finding) => finding.head === number).map(asideOf))
    return { ...head, element: line }
  })
  return [...made, ...view.heads.map((head) => [head.at, head.element])]
}

function here(view) {
  const top = view.box.scrollTop + 24
  return lastUpTo(view.heads, top, (head) => head.element.offsetTop)
}

function tell(view, number) {
  const head = view.heads[number]
  view.page = number
  view.pageOf.textContent = head.page ? `PDF page ${head.page} of ${view.places.pages}` : `${number + 1} of ${view.heads.length}`
  view.pageOf.title = head.label
  view.pageBack.disabled = number <= 0
  view.pageForth.disabled = number >= view.heads.length - 1
  if (beside) showPicture(view)
}

export function follow(view) {
  if (!view.heads.length || view.waits) return
  view.waits = true
  requestAnimationFrame(() => {
    view.waits = false
    if (!view.heads.length) return
    const number = view.sought >= 0 ? view.sought : here(view)
    if (number !== view.page) tell(view, number)
  })
}

// The page of a place that is brought into view is told and not measured, until the reader scrolls: it need not be at
// the top of the box, and a short last page never gets there.
export function tellPageOf(view, place) {
  if (!view.heads.length) return
  view.sought = lastUpTo(view.heads, place, (head) => head.at)
  tell(view, view.sought)
}

export function measurePages(view) {
  const measure = () => { view.sought = -1 }
  for (const kind of ['wheel', 'touchmove', 'pointerdown', 'keydown']) view.box.addEventListener(kind, measure, { passive: true })
}

export function turnTo(view, number) {
  if (number < 0 || number >= view.heads.length) return
  view.sought = number
  bringElement(view, view.heads[number].element)
  tell(view, number)
}

const same = (one, other) => one.toLocaleLowerCase() === other.toLocaleLowerCase()

// A production number first, then the label as printed, then the page of the file.
export function pageNamed(view, words) {
  const { heads } = view
  const tests = [
    (head) => head.bates && same(head.bates, words),
    (head) => head.printed && same(head.printed, words),
    (head) => String(head.page) === words,
    (head) => same(head.label, words) || (head.bates && head.bates.toLocaleLowerCase().endsWith(words.toLocaleLowerCase())),
  ]
  for (const test of tests) {
    const found = heads.findIndex(test)
    if (found >= 0) return found
  }
  return -1
}

async function pictureOf(view, page) {
  const { pictures, data } = view
  const id = `${data.document} ${page}`
  if (!pictures.has(id)) {
    const reply = await fetch(new URL(`${data.pages}/${page}`, location.origin).href, {
      headers: { [data.tokenHeader]: data.token },
    })
    if (!reply.ok) throw new Error((await reply.json()).fault)
    pictures.set(id, URL.createObjectURL(await reply.blob()))
    for (const old of [...pictures.keys()].slice(0, -KEPT_PICTURES)) {
      URL.revokeObjectURL(pictures.get(old))
      pictures.delete(old)
    }
  }
  return pictures.get(id)
}

async function showPicture(view) {
  const page = view.heads.length ? view.heads[view.page].page : 1
  const wanted = `${view.data.document} ${page}`
  if (view.pictured === wanted || !page) return
  view.pictured = wanted
  view.pictureTold.textContent = 'Drawing the page …'
  try {
    const url = await pictureOf(view, page)
    if (view.pictured !== wanted) return
    view.picture.src = url
    view.picture.alt = `Picture of page ${page} of ${view.data.title}`
    view.picture.hidden = false
    view.pictureTold.textContent = ''
  } catch (error) {
    if (view.pictured !== wanted) return
    view.picture.hidden = true
    view.pictured = ''
    view.pictureTold.textContent = error instanceof TypeError ? 'The app does not answer. Reload the page.' : error.message
  }
}

export function setBeside(view, on) {
  beside = on
  arrange(view)
}

export function arrange(view) {
  const on = beside && view.data.images
  view.besideButton.hidden = !view.data.images
  view.besideButton.setAttribute('aria-pressed', String(on))
  view.side.hidden = !on
  view.reading.classList.toggle('two', on)
  if (on) showPicture(view)
}

export function preparePages(view) {
  view.page = -1
  view.sought = -1
  view.pictured = ''
  view.picture.hidden = true
  view.pager.hidden = view.heads.length < 2
  view.pageField.value = ''
  if (view.heads.length) tell(view, 0)
  arrange(view)
}
