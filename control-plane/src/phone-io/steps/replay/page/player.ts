/** Plays a session: shows its frames in order, and handles buttons, keys and the timeline. */
import { framesOf, readReplay } from './model.js'
import { byId, inputById, make, visible } from './dom.js'
import { safeWord, showDetails } from './details.js'
import { drawFrame, type Shown } from './drawing.js'

/** How many milliseconds a frame is shown. */
const frameMs = { before: 1100, after: 700 }

const replay = readReplay()
const frames = framesOf(replay)
const shown: Shown = { refs: true, touches: true, picture: true }
const position = inputById('position')
let at = 0
let timer: number | null = null
let isText = false

const frame = () => frames[at]

function show(): void {
  const now = frame()
  if (!now) return
  position.value = String(at)
  const words = `Step ${now.number + 1} of ${replay.steps.length}, ${now.part === 'before' ? 'before' : 'after'}`
  position.setAttribute('aria-valuetext', words)
  byId('clock').textContent = `${now.number + 1} / ${replay.steps.length}`
  drawFrame(byId('screen'), now, shown)
  byId('caption').replaceChildren(
    now.part === 'before' ? 'Before the step' : 'After the step',
    ...(now.screen ? [' \u00b7 ', make('bdi', { text: visible(now.screen.app.package) })] : []),
  )
  byId('text-panel').textContent = now.screen ? visible(now.screen.text) : 'No screen was read here.'
  const before = now.step.before === null ? null : (replay.screens.get(now.step.before) ?? null)
  showDetails(byId('details'), now, before, replay.steps.length)
}

function go(to: number): void {
  at = Math.max(0, Math.min(frames.length - 1, to))
  show()
}

/** Shows the screen before a step. */
function goToStep(number: number): void {
  const wanted = Math.max(0, Math.min(replay.steps.length - 1, number))
  go(frames.findIndex((each) => each.number === wanted))
}

function pause(): void {
  if (timer !== null) clearTimeout(timer)
  timer = null
  byId('play').textContent = 'Play'
}

function play(): void {
  if (at >= frames.length - 1) go(0)
  byId('play').textContent = 'Pause'
  const tick = (): void => {
    if (at >= frames.length - 1) return pause()
    go(at + 1)
    timer = setTimeout(tick, frameMs[frame()?.part ?? 'before'])
  }
  timer = setTimeout(tick, frameMs[frame()?.part ?? 'before'])
}

const toggle = (): void => (timer === null ? play() : pause())

function showTab(text: boolean): void {
  isText = text
  byId('screen-panel').hidden = text
  byId('text-panel').hidden = !text
  for (const [id, isOpen] of [
    ['tab-screen', !text],
    ['tab-text', text],
  ] as const) {
    byId(id).setAttribute('aria-selected', String(isOpen))
    byId(id).tabIndex = isOpen ? 0 : -1
  }
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const { target } = event
  const isButton =
    target instanceof HTMLButtonElement || (target instanceof HTMLInputElement && target.type === 'checkbox')
  const isTab = target instanceof HTMLElement && target.role === 'tab'
  const keys: Readonly<Record<string, () => void>> = {
    ' ': toggle,
    ArrowLeft: () => (isTab ? focusTab(!isText) : moveBy(-1)),
    ArrowRight: () => (isTab ? focusTab(!isText) : moveBy(1)),
    PageUp: () => goToStep((frame()?.number ?? 0) - 1),
    PageDown: () => goToStep((frame()?.number ?? 0) + 1),
    Home: () => go(0),
    End: () => go(frames.length - 1),
    t: () => showTab(!isText),
  }
  // Space presses a focused button.
  if (event.key === ' ' && isButton) return
  const act = keys[event.key]
  if (!act) return
  event.preventDefault()
  act()
}

function moveBy(count: number): void {
  pause()
  go(at + count)
}

function focusTab(text: boolean): void {
  showTab(text)
  byId(text ? 'tab-text' : 'tab-screen').focus()
}

function start(): void {
  byId('session').textContent = replay.session
  const [first] = replay.steps
  byId('about').textContent = [
    `Phone ${replay.phone}`,
    ...(first ? [new Date(first.started_at).toLocaleString()] : []),
    `${replay.steps.length} steps${replay.isCut ? ', and more that are not in this file' : ''}`,
  ].join(' \u00b7 ')
  byId('main').hidden = false
  byId('controls').hidden = false
  position.max = String(Math.max(0, frames.length - 1))
  for (const each of frames)
    byId('marks').append(make('span', { class: `mark ${safeWord(each.step.status)} ${each.part}` }))
  position.addEventListener('input', () => {
    pause()
    go(Number(position.value))
  })
  byId('previous').addEventListener('click', () => moveBy(-1))
  byId('next').addEventListener('click', () => moveBy(1))
  byId('play').addEventListener('click', toggle)
  byId('tab-screen').addEventListener('click', () => showTab(false))
  byId('tab-text').addEventListener('click', () => showTab(true))
  for (const name of ['refs', 'touches', 'picture'] as const) {
    const box = inputById(`show-${name}`)
    box.addEventListener('change', () => {
      shown[name] = box.checked
      show()
    })
  }
  document.addEventListener('keydown', onKey)
  showTab(false)
  show()
}

start()
