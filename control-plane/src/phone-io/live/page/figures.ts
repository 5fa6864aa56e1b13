/** Shows latency and throughput figures on request. */
import { type VideoPlayer } from './player.js'

/** Milliseconds between two updates. */
const everyMs = 1000

interface FiguresParts {
  list: HTMLElement
  button: HTMLButtonElement
  canvas: HTMLCanvasElement
  player: VideoPlayer
  /** Milliseconds to the server and back; null before the first measurement. */
  roundTripMs: () => number | null
  /** Bytes received over the connection so far. */
  totalBytes: () => number
}

export class Figures {
  private timer: number | undefined
  private touchedAt: number | null = null
  private reactionMs: number | null = null
  private last = { pictures: 0, bytes: 0, at: 0 }

  constructor(private readonly parts: FiguresParts) {
    parts.button.addEventListener('click', () => this.toggle())
  }

  /** Must be called for each input, whose effect the next picture may show. */
  onInput(): void {
    this.touchedAt ??= performance.now()
  }

  onPicture(): void {
    if (this.touchedAt === null) return
    this.reactionMs = performance.now() - this.touchedAt
    this.touchedAt = null
  }

  private toggle(): void {
    const isShown = this.timer === undefined
    this.parts.list.hidden = !isShown
    this.parts.button.setAttribute('aria-pressed', String(isShown))
    if (isShown) {
      this.last = this.now()
      this.timer = setInterval(() => this.show(), everyMs)
      this.show()
    } else {
      clearInterval(this.timer)
      this.timer = undefined
    }
  }

  private now() {
    const { player, totalBytes } = this.parts
    return { pictures: player.counted.pictures, bytes: totalBytes(), at: performance.now() }
  }

  private show(): void {
    const { player, canvas, list } = this.parts
    const now = this.now()
    const seconds = Math.max(0.001, (now.at - this.last.at) / 1000)
    const rate = Math.max(0, now.bytes - this.last.bytes) / 125 / seconds
    const rows: [string, string][] = [
      ['Round trip to the server', ms(this.parts.roundTripMs())],
      ['Touch to next frame', ms(this.reactionMs)],
      ['Decoding', player.counted.pictures > 0 ? ms(player.counted.decodeMs) : '–'],
      ['Frames per second', ((now.pictures - this.last.pictures) / seconds).toFixed(0)],
      ['Data', rate >= 1000 ? `${(rate / 1000).toFixed(1)} Mbit/s` : `${rate.toFixed(0)} kbit/s`],
      ['Picture', `${canvas.width} × ${canvas.height}`],
      ['Left out', String(player.counted.dropped)],
    ]
    this.last = now
    list.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', name), element('dd', value)]))
  }
}

const ms = (value: number | null): string => (value === null ? '–' : `${value.toFixed(0)} ms`)

function element(name: 'dt' | 'dd', text: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
