/** The entry point of the live view's page. The link's token follows `#` in its URL. */
import { choosePlayer } from './choose-player.js'
import { Connection, dropEarly } from './connection.js'
import { Figures } from './figures.js'
import { Handoff } from './handoff.js'
import { Keyboard } from './keyboard.js'
import { keyCodes } from './keys.js'
import { Player } from './player.js'
import { Touches } from './touch.js'
import { byId, View } from './view.js'
import { type PageMessage } from './wire.js'

const view = new View()
const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement)

const PlayerKind = await choosePlayer()
const player = new (PlayerKind ?? Player)(view.canvas, {
  onPicture() {
    view.live()
    figures.onPicture()
  },
  onSize: (width, height) => view.resized(width, height),
  wantKeyFrame: () => connection.send({ type: 'key_frame' }),
  onUnplayable: (codec) =>
    view.over('This browser cannot play the video', `It does not decode H.264 (${codec}).`),
})

const connection = new Connection(socketUrl(), location.hash.slice(1), {
  onOpen({ name, control, end, now, handoff: asked }) {
    player.reset()
    view.opened(name, control, end, now)
    handoff.show(asked)
  },
  onVideo: (message) => (message.type === 'config' ? player.takeConfig(message) : player.takeFrame(message)),
  onMessage(message) {
    if (message.type === 'state') view.showState(message.secure, message.trouble, message.asleep)
    if (message.type === 'handoff') handoff.show(message)
    if (message.type === 'end') view.ends(message)
  },
  onRetry(reason) {
    letGo()
    player.reset()
    handoff.wait()
    view.retrying(reason)
  },
  onOver(reason) {
    letGo()
    player.reset()
    const next = handoff.over(reason)
    view.over(reason, next ?? 'If you need more time, ask the sender for a new link.')
  },
})

/** Sends the person's input. */
function send(message: PageMessage): void {
  if (!view.mayControl) return
  figures.onInput()
  connection.send(message)
}

const figures = new Figures({
  list: byId('figures', HTMLDListElement),
  button: button('figures-button'),
  canvas: view.canvas,
  player,
  roundTripMs: () => connection.roundTripMs,
  totalBytes: () => connection.totalBytes,
})
const keyboard = new Keyboard(
  byId('typing', HTMLTextAreaElement),
  byId('composition', HTMLParagraphElement),
  send,
)
const touches = new Touches(
  view.canvas,
  {
    send,
    onBack: () => keyboard.press(keyCodes.back),
    onHome: () => keyboard.press(keyCodes.home),
    onMouse: () => keyboard.focus(),
    // The page's parent is the console, which may have another origin. The message has no content.
    onScroll: (by) => parent.postMessage({ type: 'phonerack.scroll', by }, '*'),
  },
  () => view.mayControl,
  parent !== window,
)

const handoff = new Handoff({
  send: (message) => connection.send(message),
  onControl: (hasControl) => view.controls(hasControl),
  onGiveBack: letGo,
})

function letGo(): void {
  touches.letGo()
  keyboard.letGo()
}

function socketUrl(): string {
  const url = new URL(`${location.pathname.replace(/\/$/, '')}/socket`, location.origin)
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

button('back').addEventListener('click', () => keyboard.press(keyCodes.back))
button('home').addEventListener('click', () => keyboard.press(keyCodes.home))
// The button works without a picture, since a phone whose screen is off may send no picture.
button('wake').addEventListener('click', () => {
  for (const down of [true, false])
    connection.send({ type: 'key', down, code: keyCodes.wake, meta: 0, repeat: 0 })
})
button('keep-awake').addEventListener('click', () => connection.send({ type: 'keep_awake' }))
button('recents').addEventListener('click', () => keyboard.press(keyCodes.recents))
button('rotate').addEventListener('click', () => send({ type: 'rotate' }))
button('keyboard').addEventListener('click', () => keyboard.focus())

const pasteDialog = byId('paste-dialog', HTMLDialogElement)
const pasteText = byId('paste-text', HTMLTextAreaElement)
button('paste').addEventListener('click', () => {
  pasteText.value = ''
  pasteDialog.showModal()
  // A page over plain HTTP has no clipboard API.
  if (!isSecureContext) return
  // If the browser grants access, the page reads the clipboard. The person still confirms.
  navigator.clipboard
    .readText()
    .then((text) => {
      if (pasteDialog.open && pasteText.value === '') pasteText.value = text
    })
    .catch(() => undefined)
})
pasteDialog.addEventListener('close', () => {
  if (pasteDialog.returnValue === 'send' && pasteText.value !== '') keyboard.type(pasteText.value)
  pasteDialog.returnValue = ''
  pasteText.value = ''
})

const full = button('full')
full.hidden = !document.fullscreenEnabled
full.addEventListener('click', () => {
  const change = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen()
  // A refusal by the browser changes nothing.
  change.catch(() => undefined)
})

addEventListener('hashchange', () => location.reload())
addEventListener('pagehide', letGo)

if (!/^#prl_[\w-]{43}$/.test(location.hash))
  view.over('This link is incomplete', 'Open the complete link, including the part after the #.')
else if (!PlayerKind) {
  dropEarly()
  view.over('This browser cannot play the video', 'Use a current version of Chrome, Edge, Safari or Firefox.')
} else connection.connect()
