// Says who is signed in, and goes to the door once nobody is: a login may end elsewhere, or by time.
const EVERY = 4_000

export default function (component) {
  const { data, parentElement } = component
  parentElement.querySelector('.name').textContent = data.name
  parentElement.querySelector('a').onclick = (event) => {
    event.preventDefault()
    location.assign(new URL('/logout', location.origin))
  }
  async function look() {
    if (document.hidden) return
    try {
      const reply = await fetch(new URL('/signed-in', location.origin))
      if (reply.status === 401) location.reload()
    } catch { /* the server is away for a moment; the page says so itself */ }
  }
  const timer = setInterval(look, EVERY)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}
