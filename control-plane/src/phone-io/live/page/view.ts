/** The page around the picture: state, time left, overlays, and available keys. */
import { timeLeft } from './keys.js'
import { type ViewEnd } from './wire.js'

/** `reconnecting`: the connection was lost. `over`: no reconnect follows. */
export type State = 'connecting' | 'reconnecting' | 'live' | 'over'

export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no element ${id}`)
  return found
}

const statusTexts: Record<State, string> = {
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  live: 'Live',
  over: 'Ended',
}
type Reason = ViewEnd['reason']

/** The label of the remaining time in the header, by the reason of the end. */
const endLabels: Record<Reason, string> = {
  idle: 'Parks in',
  session: 'Session',
  link: 'Link',
  take_over: 'Take-over',
}
/**
 * The text of the warning before the end.
 * @param left such as `45 s`
 */
const warnings: Record<Reason, (left: string) => string> = {
  idle: (left) => `Nobody uses the phone: it parks in ${left}.`,
  session: (left) => `The session ends in ${left}, and the phone parks.`,
  link: (left) => `This link ends in ${left}.`,
  take_over: (left) => `Your take-over ends in ${left}. Agents can use the phone again.`,
}

/** The highest brightness that counts as black, on a scale of 255: black in video is not always 0. */
const black = 24

/** True when almost nothing is visible on the canvas. */
function isBlack(canvas: HTMLCanvasElement): boolean {
  const small = document.createElement('canvas')
  small.width = 16
  small.height = 32
  const context = small.getContext('2d', { willReadFrequently: true })
  if (!context) return true
  context.drawImage(canvas, 0, 0, small.width, small.height)
  const { data } = context.getImageData(0, 0, small.width, small.height)
  let bright = 0
  for (let at = 0; at < data.length; at += 4)
    if (Math.max(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0) > black) bright += 1
  // A status bar may be visible.
  return bright < (data.length / 4) * 0.1
}

export class View {
  readonly canvas = byId('screen', HTMLCanvasElement)
  private readonly cover = byId('cover', HTMLDivElement)
  private readonly coverTitle = byId('cover-title', HTMLParagraphElement)
  private readonly coverText = byId('cover-text', HTMLParagraphElement)
  private readonly secure = byId('secure', HTMLDivElement)
  private readonly time = byId('time', HTMLParagraphElement)
  private readonly announcement = byId('announcement', HTMLParagraphElement)
  private readonly ending = byId('ending', HTMLDivElement)
  private end: ViewEnd | null = null
  /** Milliseconds by which this machine's clock is ahead of the server's clock. */
  private clockAheadMs = 0
  private control = false
  private trouble = ''
  private title = ''
  private text = ''
  private isSecure = false
  private isAsleep = false

  constructor() {
    setInterval(() => {
      this.showTime()
      if (this.isSecure) this.showCover()
    }, 1000)
  }

  get state(): State {
    return document.body.dataset['state'] as State
  }

  /** @param serverNow milliseconds since 1970 by the server's clock */
  opened(name: string, control: boolean, end: ViewEnd, serverNow: number): void {
    document.title = `${name} · Phonerack`
    byId('name', HTMLHeadingElement).textContent = name
    this.controls(control)
    this.clockAheadMs = Date.now() - serverNow
    this.ends(end)
    this.show('connecting', 'Waiting for video', '')
  }

  /** Shows the next end of the view. */
  ends(end: ViewEnd): void {
    this.end = end
    this.showTime()
  }

  /** Whether the person may control the phone. */
  controls(control: boolean): void {
    byId('mode', HTMLSpanElement).hidden = control
    byId('secure-hint', HTMLParagraphElement).hidden = !control
    document.body.classList.toggle('controls', control)
    byId('typing', HTMLTextAreaElement).disabled = !control
    for (const group of document.querySelectorAll<HTMLElement>('[data-needs-control]'))
      group.hidden = !control
    this.control = control
    this.showCover()
    this.showTime()
  }

  get mayControl(): boolean {
    return this.control && this.state === 'live'
  }

  /** A picture was drawn. */
  live(): void {
    if (this.state === 'connecting') {
      this.show('live', '', '')
      this.showTime()
    }
  }

  resized(width: number, height: number): void {
    document.documentElement.style.setProperty('--ratio', String(width / height))
  }

  /** @param trouble why there is no picture; empty when there is a picture */
  showState(isSecure: boolean, trouble: string, isAsleep = false): void {
    if (trouble !== '' && trouble !== this.trouble) this.say(trouble)
    this.isSecure = isSecure
    this.isAsleep = isAsleep
    this.trouble = trouble
    this.showCover()
  }

  retrying(reason: string): void {
    this.showState(false, '')
    this.show('reconnecting', reason || 'The connection was lost.', 'Trying again')
    this.showTime()
  }

  over(title: string, text: string): void {
    this.showState(false, '')
    this.show('over', title, text)
    this.showTime()
  }

  private show(state: State, title: string, text: string): void {
    const isNew = state !== this.state || title !== this.title
    this.title = title
    this.text = text
    document.body.dataset['state'] = state
    byId('status-text', HTMLSpanElement).textContent = statusTexts[state]
    for (const button of document.querySelectorAll<HTMLButtonElement>('[data-needs-control] button'))
      button.disabled = state !== 'live'
    if (isNew) this.say(title === '' ? statusTexts[state] : `${title} ${text}`)
    this.showCover()
  }

  private showCover(): void {
    const isTroubled = this.state !== 'over' && this.trouble !== ''
    this.coverTitle.textContent = isTroubled ? this.trouble : this.title
    this.coverText.textContent = isTroubled ? '' : this.text
    byId('wake', HTMLButtonElement).hidden = !isTroubled || !this.isAsleep || !this.control
    this.cover.hidden = this.state === 'live' && !isTroubled
    // Some phones still show their lock screen, and then need no explanation.
    this.secure.hidden = this.state !== 'live' || !this.isSecure || isTroubled || !isBlack(this.canvas)
  }

  private showTime(): void {
    const { end } = this
    this.time.hidden = end === null || this.state === 'over'
    if (end === null) return
    const now = Date.now() - this.clockAheadMs
    const left = timeLeft(end.at - now)
    const isSoon = now >= end.warnsAt
    byId('time-label', HTMLSpanElement).textContent = endLabels[end.reason]
    byId('time-left', HTMLSpanElement).textContent = left
    this.time.classList.toggle('soon', isSoon)
    const isNew = isSoon && this.ending.hidden
    const text = warnings[end.reason](left)
    byId('ending-text', HTMLParagraphElement).textContent = text
    byId('keep-awake', HTMLButtonElement).hidden = end.reason !== 'idle' || !this.control
    this.ending.hidden = !isSoon || this.state !== 'live'
    if (isNew && !this.ending.hidden) this.say(text)
  }

  /** Announces text to screen readers. */
  private say(text: string): void {
    this.announcement.textContent = text.trim()
  }
}
