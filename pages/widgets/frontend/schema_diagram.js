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

// From a field's side to the head of its target: straight across when that is further right, else round the right side.
function edge(row, target, origin, lane) {
  const from = row.getBoundingClientRect(), to = target.getBoundingClientRect()
  const x1 = from.right - origin.left, y1 = from.top + from.height / 2 - origin.top
  const y2 = to.top + Math.min(to.height, 44) / 2 - origin.top
  if (to.left > from.right) {
    const x2 = to.left - origin.left, bend = Math.max(30, (x2 - x1) / 2)
    return { x1, y1, x2, y2, side: 1, path: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2 - 8},${y2}` }
  }
  const x2 = to.right - origin.left, out = Math.max(x1, x2) + 30 + lane * 9
  return { x1, y1, x2, y2, side: -1, path: `M${x1},${y1} C${out},${y1} ${out},${y2} ${x2 + 8},${y2}` }
}

function draw(parentElement) {
  const plane = parentElement.querySelector('.plane'), svg = parentElement.querySelector('svg')
  const origin = plane.getBoundingClientRect()
  svg.replaceChildren()
  let lane = 0
  for (const row of plane.querySelectorAll('.field.reference')) {
    const target = [...plane.querySelectorAll('.box')].find((box) => box.dataset.type === row.dataset.target)
    if (!target) continue
    const { x1, y1, x2, y2, side, path } = edge(row, target, origin, lane)
    if (side < 0) lane = (lane + 1) % 3
    svg.append(shape('path', { class: 'edge', d: path }), shape('circle', { class: 'dot', cx: x1, cy: y1, r: 3.5 }))
    svg.append(shape('path', { class: 'head', d: `M${x2},${y2} l${-9 * side},-5 v10 z` }))
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const plane = parentElement.querySelector('.plane'), columns = parentElement.querySelector('.columns')
  plane.setAttribute('aria-label', data.alt)
  plane.classList.toggle('live', data.live)
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
