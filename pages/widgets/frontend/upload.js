// Sends files one by one to the upload route and says what became of each. Names and reasons are shown as text only.
const SHOWN_PROBLEMS = 12
const READ = ['read', 'read with warnings', 'held back']
const instances = new WeakMap()

function send(file, name, data, onPart) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', new URL(data.url, location.origin).href)
    request.setRequestHeader(data.tokenHeader, data.token)
    request.setRequestHeader(data.nameHeader, encodeURIComponent(name))
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.onprogress = (event) => onPart(event.total ? event.loaded / event.total : 1)
    request.onload = () => {
      let reply = {}
      try { reply = JSON.parse(request.responseText) } catch { reply = { fault: `The app answered ${request.status}.` } }
      resolve(request.status === 200 ? reply : { fault: reply.fault || `The app answered ${request.status}.` })
    }
    request.onerror = () => resolve({ fault: 'The app could not be reached, or the file cannot be opened.' })
    request.send(file)
  })
}

async function walk(entry, path, found) {
  if (entry.isFile) {
    found.push([await new Promise((done, fail) => entry.file(done, fail)), path + entry.name])
    return
  }
  const reader = entry.createReader()
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail))
    if (!some.length) return
    for (const inner of some) await walk(inner, `${path}${entry.name}/`, found)
  }
}

async function dropped(transfer) {
  const found = []
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean)
  for (const entry of entries) await walk(entry, '', found)
  return found
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const find = (selector) => parentElement.querySelector(selector)
  const instance = instances.get(parentElement) || { busy: false, stop: false }
  instances.set(parentElement, instance)
  instance.data = data
  const zone = find('.zone'), bar = find('progress'), status = find('.status'), problems = find('.problems')

  async function sendAll(files) {
    if (instance.busy || !files.length) return
    instance.busy = true
    instance.stop = false
    problems.textContent = ''
    bar.hidden = find('.stop').hidden = false
    find('.files').hidden = find('.folder').hidden = true
    const told = { files: 0, documents: 0, unread: 0 }
    for (const [file, name] of files) {
      if (instance.stop) break
      const done = told.files
      const reply = await send(file, name, instance.data, (part) => {
        bar.value = (done + part) / files.length
        status.textContent = `${done + 1} of ${files.length}: ${name}`
      })
      told.files += 1
      told.documents += reply.documents || 0
      const lines = reply.lines || [{ path: name, outcome: 'not added', reason: reply.fault }]
      for (const line of lines.filter((one) => !READ.includes(one.outcome))) {
        told.unread += 1
        if (told.unread > SHOWN_PROBLEMS) continue
        const item = document.createElement('li')
        item.textContent = `${line.path}: ${line.outcome}${line.reason ? `, ${line.reason}` : ''}`
        problems.append(item)
      }
    }
    if (told.unread > SHOWN_PROBLEMS) {
      const item = document.createElement('li')
      item.textContent = `and ${told.unread - SHOWN_PROBLEMS} more, all in the ledger`
      problems.append(item)
    }
    bar.hidden = find('.stop').hidden = true
    find('.files').hidden = find('.folder').hidden = false
    status.textContent = `${told.files} of ${files.length} files sent, ${told.documents} new documents.`
    instance.busy = false
    setTriggerValue('sent', told)
  }

  const chosen = (input) => {
    const files = [...input.files].map((file) => [file, file.webkitRelativePath || file.name])
    input.value = ''
    sendAll(files)
  }
  find('.files').onclick = () => find('.file-input').click()
  find('.folder').onclick = () => find('.folder-input').click()
  find('.file-input').onchange = (event) => chosen(event.target)
  find('.folder-input').onchange = (event) => chosen(event.target)
  find('.stop').onclick = () => { instance.stop = true; status.textContent = 'Stopping after this file.' }
  zone.ondragover = (event) => { event.preventDefault(); zone.classList.add('over') }
  zone.ondragleave = () => zone.classList.remove('over')
  zone.ondrop = async (event) => {
    event.preventDefault()
    zone.classList.remove('over')
    sendAll(await dropped(event.dataTransfer))
  }
  return () => { instance.stop = true }
}
