/** The page around the picture: state, time left, overlays, and available keys. */
import { timeLeft } from './keys.js'

/** `over`: no reconnect follows. */
export type State = 'connecting' | 'live' | 'over'

export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no element ${id}`)
  return found
}

const statusTexts: Record<State, string> = { connecting: 'Connecting', live: 'Live', over: 'Ended' }
/** Milliseconds before the end at which screen readers announce it. */
const warnings = [300_000, 60_000]

/** On a scale of 255; black in video is not always 0. */
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
  private expiresAt: number | null = null
  private left = Infinity
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

  /** @param expiresAt by this machine's clock, milliseconds since 1970 */
  opened(name: string, control: boolean, expiresAt: number): void {
    document.title = `${name} · Phonerack`
    byId('name', HTMLHeadingElement).textContent = name
    this.controls(control)
    this.expiresAt = expiresAt
    this.time.hidden = false
    this.showTime()
    this.show('connecting', 'Waiting for video', '')
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
  }

  get mayControl(): boolean {
    return this.control && this.state === 'live'
  }

  /** A picture was drawn. */
  live(): void {
    if (this.state === 'connecting') this.show('live', '', '')
  }

  resized(width: number, height: number): void {
    document.documentElement.style.setProperty('--ratio', String(width / height))
  }

  /** @param trouble why there is no picture; empty when there is one */
  showState(isSecure: boolean, trouble: string, isAsleep = false): void {
    if (trouble !== '' && trouble !== this.trouble) this.say(trouble)
    this.isSecure = isSecure
    this.isAsleep = isAsleep
    this.trouble = trouble
    this.showCover()
  }

  retrying(reason: string): void {
    this.showState(false, '')
    this.show('connecting', reason || 'The connection was lost.', 'Trying again')
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
    // Some phones still show their lock screen: then no explanation is needed.
    this.secure.hidden = this.state !== 'live' || !this.isSecure || isTroubled || !isBlack(this.canvas)
  }

  private showTime(): void {
    if (this.expiresAt === null || this.state === 'over') {
      this.time.hidden = true
      return
    }
    const before = this.left
    this.left = this.expiresAt - Date.now()
    const text = timeLeft(this.left)
    byId('time-left', HTMLSpanElement).textContent = text
    this.time.classList.toggle('soon', this.left < 60_000)
    if (warnings.some((at) => before > at && this.left <= at && before !== Infinity)) this.say(`${text} left`)
  }

  /** Announces text to screen readers. */
  private say(text: string): void {
    this.announcement.textContent = text.trim()
  }
}
