// What the reader of one document saw of the others' snippets: lists of documents, and the texts of digests.
// Text from documents and models goes into the page as text nodes only.
function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

const told = (number) => number.toLocaleString('en')

function ranges(numbers) {
  const parts = []
  for (let at = 0; at < numbers.length; at += 1) {
    const first = at
    while (numbers[at + 1] === numbers[at] + 1) at += 1
    parts.push(first === at ? numbers[first] : `${numbers[first]}–${numbers[at]}`)
  }
  return parts.join(', ')
}

function listed(view, title, numbers) {
  const made = element('details')
  made.append(element('summary', '', title))
  made.ontoggle = () => {
    if (!made.open || made.lastChild.tagName === 'UL') return
    const list = element('ul', 'named')
    for (const number of numbers) {
      const [id, name] = view.data.documents[number - 1]
      const item = element('li')
      item.append(element('span', 'number', String(number)), view.linkTo(view, id, name))
      list.append(item)
    }
    made.append(list)
  }
  return made
}

function digest(view, found) {
  const made = element('div', 'digest')
  const many = found.covers.length
  made.append(element('p', 'digest-name', `${found.name}: ${many === 1 ? 'document' : 'documents'} ${ranges(found.covers)}`))
  if (found.cut) made.append(element('p', 'cut', 'No model wrote this: it is the beginnings of the snippets, cut to fit.'))
  made.append(element('p', 'text', found.text), listed(view, `Which documents (${told(many)})`, found.covers))
  return made
}

export async function showSaw(view, entry, round, room) {
  const { url, token, tokenHeader } = view.data
  const reply = await fetch(new URL(`${url}/saw/${round}/${encodeURIComponent(entry.id)}`, location.origin).href, {
    headers: { [tokenHeader]: token },
  })
  const saw = await reply.json()
  if (!reply.ok) throw new Error(saw.fault)
  room.textContent = ''
  if (saw.whole.length) room.append(listed(view, `In full (${told(saw.whole.length)})`, saw.whole))
  if (saw.shortened.length) room.append(listed(view, `Shortened (${told(saw.shortened.length)})`, saw.shortened))
  if (saw.digested.length) room.append(listed(view, `Only within digests (${told(saw.digested.length)})`, saw.digested))
  if (saw.digests.length) {
    const digests = element('details')
    digests.append(element('summary', '', `The digests (${told(saw.digests.length)})`), ...saw.digests.map((found) => digest(view, found)))
    room.append(digests)
  }
}
