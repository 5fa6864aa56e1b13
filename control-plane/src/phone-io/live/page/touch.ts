/** Converts fingers, mouse and wheel on the canvas to touches of the phone. */
import { type PageMessage } from './wire.js'

const maxFingers = 10
/** Pixels of scrolling per wheel step. */
const pixelsPerStep = 100
const linesPerStep = 3
const maxSteps = 16

interface TouchListener {
  send(message: PageMessage): void
  /** The mouse's right and middle buttons. */
  onBack(): void
  onHome(): void
  /** The person used the mouse on the screen: send keys to the phone from now on. */
  onMouse(): void
  /**
   * Two fingers moved on a page that is embedded in another page.
   * @param by pixels, downwards
   */
  onScroll(by: number): void
}

export class Touches {
  /** The phone's pointer number and the last position, by `PointerEvent.pointerId`. */
  private readonly fingers = new Map<number, { number: number; x: number; y: number }>()
  private readonly moved = new Set<number>()
  /**
   * The fingers that scroll the surrounding page, with their vertical positions on the screen, by
   * `PointerEvent.pointerId`.
   */
  private readonly scrolling = new Map<number, number>()
  private wheel = { x: 0, y: 0, horizontal: 0, vertical: 0 }
  private frame = 0

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly listener: TouchListener,
    private readonly isAllowed: () => boolean,
    /** The page is embedded in another page, which could not be scrolled by touches on the phone. */
    private readonly isEmbedded: boolean,
  ) {
    canvas.addEventListener('pointerdown', (event) => this.onDown(event))
    canvas.addEventListener('pointermove', (event) => this.onMove(event))
    canvas.addEventListener('pointerup', (event) => this.onUp(event, 'up'))
    canvas.addEventListener('pointercancel', (event) => this.onUp(event, 'cancel'))
    canvas.addEventListener('lostpointercapture', (event) => this.onUp(event, 'cancel'))
    canvas.addEventListener('contextmenu', (event) => event.preventDefault())
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false })
    addEventListener('blur', () => this.letGo())
  }

  /** Lifts all fingers. */
  letGo(): void {
    for (const { number, x, y } of this.fingers.values())
      this.listener.send({ type: 'touch', phase: 'cancel', pointer: number, x, y })
    this.fingers.clear()
    this.moved.clear()
  }

  private onDown(event: PointerEvent): void {
    if (!this.isAllowed()) return
    event.preventDefault()
    if (event.pointerType === 'mouse') {
      this.listener.onMouse()
      if (event.button === 1) return this.listener.onHome()
      if (event.button === 2) return this.listener.onBack()
      if (event.button !== 0) return
    }
    if (this.isEmbedded && event.pointerType === 'touch' && this.fingers.size + this.scrolling.size > 0)
      return this.beginScroll(event)
    const number = this.freeNumber()
    if (number === null || this.fingers.has(event.pointerId)) return
    this.canvas.setPointerCapture(event.pointerId)
    const point = this.pointOf(event)
    this.fingers.set(event.pointerId, { number, ...point })
    this.listener.send({ type: 'touch', phase: 'down', pointer: number, ...point })
  }

  /** The pressed fingers begin to scroll the page, and no longer touch the phone. */
  private beginScroll(event: PointerEvent): void {
    for (const id of this.fingers.keys()) this.scrolling.set(id, NaN)
    this.letGo()
    this.scrolling.set(event.pointerId, event.screenY)
    this.canvas.setPointerCapture(event.pointerId)
  }

  private onMove(event: PointerEvent): void {
    const before = this.scrolling.get(event.pointerId)
    if (before !== undefined) {
      this.scrolling.set(event.pointerId, event.screenY)
      // Each finger moves the page by its share of the distance.
      if (!Number.isNaN(before)) this.listener.onScroll((before - event.screenY) / this.scrolling.size)
      return
    }
    const finger = this.fingers.get(event.pointerId)
    if (!finger) return
    Object.assign(finger, this.pointOf(event))
    this.moved.add(event.pointerId)
    this.sendSoon()
  }

  private onUp(event: PointerEvent, phase: 'up' | 'cancel'): void {
    this.scrolling.delete(event.pointerId)
    const finger = this.fingers.get(event.pointerId)
    if (!finger) return
    this.sendMoves()
    this.fingers.delete(event.pointerId)
    const { x, y } = phase === 'up' ? this.pointOf(event) : finger
    this.listener.send({ type: 'touch', phase, pointer: finger.number, x, y })
  }

  private onWheel(event: WheelEvent): void {
    // Ctrl+wheel is the browser's zoom.
    if (!this.isAllowed() || event.ctrlKey) return
    event.preventDefault()
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? pixelsPerStep : linesPerStep
    Object.assign(this.wheel, this.pointOf(event))
    // Browsers count down and right as positive, Android up and right.
    this.wheel.vertical -= event.deltaY / unit
    this.wheel.horizontal += event.deltaX / unit
    this.sendSoon()
  }

  /** At most one message is sent per display frame, since further messages would only wait. */
  private sendSoon(): void {
    if (this.frame !== 0) return
    this.frame = requestAnimationFrame(() => {
      this.frame = 0
      this.sendMoves()
      const { horizontal, vertical, ...point } = this.wheel
      if (horizontal === 0 && vertical === 0) return
      this.wheel = { ...point, horizontal: 0, vertical: 0 }
      this.listener.send({
        type: 'scroll',
        ...point,
        horizontal: limited(horizontal),
        vertical: limited(vertical),
      })
    })
  }

  private sendMoves(): void {
    for (const id of this.moved) {
      const finger = this.fingers.get(id)
      if (!finger) continue
      const { number, x, y } = finger
      this.listener.send({ type: 'touch', phase: 'move', pointer: number, x, y })
    }
    this.moved.clear()
  }

  private freeNumber(): number | null {
    const taken = new Set([...this.fingers.values()].map(({ number }) => number))
    for (let number = 0; number < maxFingers; number++) if (!taken.has(number)) return number
    return null
  }

  private pointOf({ clientX, clientY }: { clientX: number; clientY: number }): { x: number; y: number } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect()
    return { x: part((clientX - left) / width), y: part((clientY - top) / height) }
  }
}

const part = (value: number): number => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0)

const limited = (steps: number): number => Math.min(maxSteps, Math.max(-maxSteps, steps))
