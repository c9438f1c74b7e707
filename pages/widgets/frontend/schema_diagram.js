// Record types as boxes and references as arrows, laid out by the browser. Names and meanings are text nodes.
const watched = new WeakMap()
const SVG = 'http://www.w3.org/2000/svg'

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}

function boxOf(type) {
  const box = element('section', 'box'), header = element('header')
  header.dataset.id = box.dataset.type = type.id
  header.append(element('h4', '', type.name))
  if (type.meaning) header.append(element('p', '', type.meaning))
  box.append(header)
  type.fields.forEach((field, index) => {
    const marks = ['field', index === 0 && 'label', field.group && 'group', field.target && 'reference']
    const row = element('div', marks.filter(Boolean).join(' '))
    row.style.setProperty('--level', field.level)
    row.dataset.id = field.id
    row.dataset.target = field.target
    row.append(element('span', 'name', field.name), element('span', 'kind', field.kind))
    row.lastChild.title = field.kind
    box.append(row)
  })
  return box
}

// From a field's side to the side of its target that looks to it; round the right side within one column.
function edge(row, target, origin, lane) {
  const from = row.getBoundingClientRect(), to = target.getBoundingClientRect()
  const y1 = from.top + from.height / 2 - origin.top, y2 = to.top + Math.min(to.height, 44) / 2 - origin.top
  const forward = to.left > from.right, back = to.right < from.left
  const x1 = (back ? from.left : from.right) - origin.left, x2 = (forward ? to.left : to.right) - origin.left
  const side = forward ? 1 : -1, tip = x2 - 8 * side
  if (!forward && !back) {
    const out = Math.max(x1, x2) + 30 + lane * 9
    return { x1, y1, x2, y2, side, path: `M${x1},${y1} C${out},${y1} ${out},${y2} ${tip},${y2}` }
  }
  const bend = side * Math.max(30, Math.abs(x2 - x1) / 2)
  return { x1, y1, x2, y2, side, path: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${tip},${y2}` }
}

// Lines run behind the boxes, their ends lie on them.
function draw(parentElement) {
  const plane = parentElement.querySelector('.plane'), origin = plane.getBoundingClientRect()
  const lines = [], ends = []
  const boxes = [...plane.querySelectorAll('.box')]
  let lane = 0
  for (const row of plane.querySelectorAll('.field.reference')) {
    const target = boxes.find((box) => box.dataset.type === row.dataset.target)
    if (!target) continue
    const { x1, y1, x2, y2, side, path } = edge(row, target, origin, lane)
    lane = (lane + 1) % 3
    lines.push(shape('path', { class: 'edge', d: path }))
    ends.push(shape('circle', { class: 'dot', cx: x1, cy: y1, r: 3.5 }))
    ends.push(shape('path', { class: 'head', d: `M${x2},${y2} l${-9 * side},-5 v10 z` }))
  }
  parentElement.querySelector('.lines').replaceChildren(...lines)
  parentElement.querySelector('.ends').replaceChildren(...ends)
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const plane = parentElement.querySelector('.plane'), columns = parentElement.querySelector('.columns')
  plane.setAttribute('aria-label', data.alt)
  plane.classList.toggle('live', data.live)
  plane.parentElement.classList.toggle('many', data.columns.length > 2)
  columns.replaceChildren(...data.columns.map((boxes) => {
    const column = element('div', 'column')
    column.append(...boxes.map(boxOf))
    return column
  }))
  plane.onclick = (event) => {
    const at = event.target.closest('[data-id]')
    if (data.live && at) setTriggerValue('select', at.dataset.id)
  }
  watched.get(parentElement)?.disconnect()
  const watcher = new ResizeObserver(() => draw(parentElement))
  watcher.observe(plane)
  watched.set(parentElement, watcher)
  draw(parentElement)
  return () => watcher.disconnect()
}
