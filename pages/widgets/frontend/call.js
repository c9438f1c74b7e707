// One call: its messages and its reply. All words are text nodes; what was looked for is marked.
const state = new WeakMap()

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

// `marks` are places in the text, in order, that do not overlap.
function words(text, marks) {
  const pre = element('pre')
  pre.dir = 'auto'
  let at = 0
  for (const [start, end] of marks) {
    pre.append(text.slice(at, start), element('mark', '', text.slice(start, end)))
    at = end
  }
  pre.append(text.slice(at))
  return pre
}

function partOf(part) {
  if (part.open) {
    const box = element('div', 'open')
    box.append(words(part.text, part.marks))
    return box
  }
  const box = element('details'), summary = element('summary', '', part.title)
  if (part.marks.length) summary.append(' · ', element('b', '', `${part.marks.length} found`))
  box.append(summary, words(part.text, part.marks))
  return box
}

function turnOf(turn) {
  const box = element('section', turn.reply ? 'turn reply' : 'turn'), head = element('h4', '', turn.title)
  if (turn.note) head.append(element('span', '', turn.note))
  box.append(head, ...turn.parts.map(partOf))
  return box
}

function go(parentElement, step) {
  const marks = [...parentElement.querySelectorAll('mark')], seen = state.get(parentElement)
  if (!marks.length) return
  marks[seen.at]?.classList.remove('now')
  seen.at = (seen.at + step + marks.length) % marks.length
  const mark = marks[seen.at], folded = mark.closest('details')
  if (folded) folded.open = true
  mark.classList.add('now')
  mark.scrollIntoView({ block: 'center' })
  parentElement.querySelector('.hits').textContent = `${seen.at + 1} of ${marks.length} places found`
}

export default function (component) {
  const { data, parentElement } = component
  if (state.get(parentElement)?.shown === data.shown) return
  state.set(parentElement, { shown: data.shown, at: -1 })
  parentElement.querySelector('.turns').replaceChildren(...data.turns.map(turnOf))
  const marks = parentElement.querySelectorAll('mark').length
  parentElement.querySelector('.bar').hidden = !marks
  parentElement.querySelector('.hits').textContent = `${marks} ${marks === 1 ? 'place' : 'places'} found`
  parentElement.querySelector('.back').onclick = () => go(parentElement, state.get(parentElement).at < 0 ? 0 : -1)
  parentElement.querySelector('.on').onclick = () => go(parentElement, 1)
}
