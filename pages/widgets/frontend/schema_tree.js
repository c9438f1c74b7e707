// The schema's tree. Arrow keys, Home and End go through it, Enter and Space select. Names and meanings are text nodes.
const seen = new WeakMap()

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function item(row, live, selected) {
  const made = element('li', row.level === 1 ? 'type' : '')
  made.style.setProperty('--level', row.level)
  made.dataset.id = row.id
  made.setAttribute('role', 'treeitem')
  made.setAttribute('aria-level', row.level)
  if (live) made.setAttribute('aria-selected', String(row.id === selected))
  for (let level = 2; level < row.level; level += 1) {
    const guide = element('span', 'guide')
    guide.style.left = `${1.05 + (level - 1) * 1.35 - 0.1}rem`
    made.append(guide)
  }
  const head = element('div', 'head'), name = element('span', 'name', row.name)
  if (row.label) name.append(element('span', 'label', 'names the record'))
  head.append(name, element('span', row.kind.includes('refers to ') ? 'kind reference' : 'kind', row.kind))
  made.append(head)
  if (row.meaning) made.append(element('div', 'meaning', row.meaning))
  if (row.why) made.append(element('div', 'why', `Why: ${row.why}`))
  return made
}

// Scrolls the tree's own box, never the page; on a tab that is not open yet, when it is opened.
function bringIntoView(tree, row) {
  if (!tree.clientHeight) {
    const watcher = new ResizeObserver(() => {
      if (!tree.clientHeight && row.isConnected) return
      watcher.disconnect()
      if (row.isConnected) bringIntoView(tree, row)
    })
    watcher.observe(tree)
    return
  }
  const top = row.offsetTop, bottom = top + row.offsetHeight
  if (top < tree.scrollTop || bottom > tree.scrollTop + tree.clientHeight) tree.scrollTop = top - tree.clientHeight / 3
}

// A form that was saved is a new form, and what had the focus is gone: so the person is put where the change was made.
function rescueFocus(tree, tries) {
  if (!tree.isConnected || !tries) return
  if (document.activeElement === document.body) tree.querySelector('[tabindex="0"]').focus({ preventScroll: true })
  else setTimeout(() => rescueFocus(tree, tries - 1), 200)
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const tree = parentElement.querySelector('.tree')
  const before = seen.get(parentElement) || {}
  const hadFocus = tree.contains(tree.getRootNode().activeElement)
  tree.classList.toggle('live', data.live)
  const scrolled = tree.scrollTop
  tree.replaceChildren(...data.rows.map((row) => item(row, data.live, data.selected)))
  const items = [...tree.children]
  const current = items.find((one) => one.dataset.id === data.selected) || items[0]
  const reach = (one) => {
    for (const other of items) other.tabIndex = other === one ? 0 : -1
  }
  reach(current)
  tree.scrollTop = scrolled
  if (data.live && before.selected !== data.selected) bringIntoView(tree, current)
  if (hadFocus) current.focus({ preventScroll: true })
  // A form that was saved is a new form, and what had the focus is gone: so the person is put where the change was made.
  const rows = JSON.stringify(data.rows)
  if (data.live && before.rows && before.rows !== rows) rescueFocus(tree, 10)
  seen.set(parentElement, { rows, selected: data.selected })
  const select = (one) => { if (data.live && one) setTriggerValue('select', one.dataset.id) }
  tree.onclick = (event) => select(event.target.closest('li'))
  tree.onkeydown = (event) => {
    const at = items.indexOf(event.target.closest('li'))
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (next !== undefined && items[next]) {
      reach(items[next])
      items[next].focus()
    } else if (event.key === 'Enter' || event.key === ' ') {
      select(items[at])
    } else if (next === undefined) {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
}
