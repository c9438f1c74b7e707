// The reader is a module of its own: what stands here is sent anew with every change of the page.
const loading = import(new URL('/assets/reader.js', location.origin).href)

export default function (component) {
  let left = false, leave = () => {}
  loading.then(
    (reader) => { if (!left) leave = reader.show(component) },
    () => { component.parentElement.querySelector('.trouble').textContent = 'The app does not answer. Reload the page.' },
  )
  return () => { left = true; leave() }
}
