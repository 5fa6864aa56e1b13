/**
 * Android's touch rules over the placed windows: slop, tap, double tap, long
 * press, scrolling by drag, pinch, and the shade's pull-down. One gesture goes
 * to the window where its first finger came down.
 */
import { type TouchAction } from '../../android/world.js'
import { contains, widthOf } from '../toolkit/geometry.js'
import { hit, scrollerOf } from '../toolkit/hit.js'
import { type ScrollState, type View } from '../toolkit/view.js'
import { type Layer } from './windows.js'

export const LONG_PRESS_MS = 400
/** Milliseconds between two taps. Android allows 300; on a busy machine, the second tap arrives later. */
const DOUBLE_TAP_MS = 1000

interface Finger {
  startX: number
  startY: number
  x: number
  y: number
}

interface TouchTarget {
  /** The placed windows, from back to front. */
  layers: () => readonly Layer[]
  tap: (v: View, x: number, y: number) => void
  longPress: (v: View, x: number, y: number) => void
  locked: () => boolean
  unlock: () => void
  openShade: () => void
  closeShade: () => void
  shadeOpen: () => boolean
  hideHeadsUp: () => void
  changed: () => void
  density: number
  now: () => number
}

export class TouchInput {
  private fingers = new Map<number, Finger>()
  private target: View | null = null
  private layer: Layer['name'] | null = null
  private mode: 'idle' | 'pressed' | 'drag' | 'pinch' | 'slide' | 'swipe' | 'shade' | 'done' = 'idle'
  private scroller: { state: ScrollState; direction: View['scrollDirection'] } | null = null
  private longPressTimer: NodeJS.Timeout | undefined
  private lastTap = { at: -Infinity, x: 0, y: 0 }

  constructor(private readonly host: TouchTarget) {}

  private get slop(): number {
    return 8 * this.host.density
  }

  handle(action: TouchAction, id: number, x: number, y: number): void {
    if (action === 'down') this.down(id, x, y)
    else if (action === 'move') this.move(id, x, y)
    else if (action === 'up') this.up(id, x, y)
    else this.reset()
  }

  /** Ends the gesture without its effect. */
  reset(): void {
    clearTimeout(this.longPressTimer)
    this.fingers.clear()
    this.mode = 'idle'
    this.target = null
    this.scroller = null
  }

  private find(x: number, y: number): void {
    this.target = null
    this.layer = null
    for (const layer of [...this.host.layers()].reverse()) {
      const found = hit(layer.root, x, y)
      if (!found && !(layer.name === 'status' && contains(layer.root.visible, x, y))) continue
      this.target = found
      this.layer = layer.name
      return
    }
  }

  private down(id: number, x: number, y: number): void {
    // The client that held the finger down has died: Android's dispatcher cancels that gesture and begins a
    // new gesture.
    if (this.fingers.has(id)) this.reset()
    if (this.fingers.size === 0) {
      this.reset()
      this.find(x, y)
      this.mode = 'pressed'
      const target = this.target
      if (target?.onSlide && target.enabled) {
        this.mode = 'slide'
        this.slide(x)
      } else if (target?.longClickable) {
        this.longPressTimer = setTimeout(() => {
          this.pressLong()
        }, LONG_PRESS_MS)
      }
    } else {
      clearTimeout(this.longPressTimer)
      if (this.pinchView() && this.mode !== 'done') this.mode = 'pinch'
    }
    this.fingers.set(id, { startX: x, startY: y, x, y })
  }

  private pinchView(): View | null {
    for (let v = this.target; v; v = v.parent) if (v.pinch) return v
    return null
  }

  private swipeView(): View | null {
    for (let v = this.target; v; v = v.parent) if (v.onSwipeAway) return v
    return null
  }

  private pressLong(): void {
    const finger = this.fingers.values().next().value
    if (!this.target || !finger || this.mode !== 'pressed') return
    this.mode = 'done'
    if (this.target.enabled) this.host.longPress(this.target, finger.startX, finger.startY)
    this.host.changed()
  }

  private move(id: number, x: number, y: number): void {
    const finger = this.fingers.get(id)
    if (!finger) return
    const dx = x - finger.x
    const dy = y - finger.y
    if (this.mode === 'pinch') {
      this.pinch(finger, x, y)
      return
    }
    finger.x = x
    finger.y = y
    if (id !== this.fingers.keys().next().value) return
    if (this.mode === 'pressed') this.beginDrag(finger)
    else if (this.mode === 'drag') this.drag(dx, dy)
    else if (this.mode === 'slide') this.slide(x)
  }

  /**
   * Beyond the slop, a drag begins, which cancels tap and long press. The content follows the finger from the
   * edge of the slop.
   */
  private beginDrag(finger: Finger): void {
    const dx = finger.x - finger.startX
    const dy = finger.y - finger.startY
    const vertical = Math.abs(dy) >= Math.abs(dx)
    const travel = vertical ? dy : dx
    if (Math.abs(travel) <= this.slop) return
    clearTimeout(this.longPressTimer)
    if (vertical && dy > 0 && this.layer === 'status') {
      this.mode = 'shade'
      return
    }
    if (vertical && dy < 0 && this.layer === 'heads_up') {
      this.mode = 'done'
      this.host.hideHeadsUp()
      this.host.changed()
      return
    }
    if (vertical && dy < 0 && (this.layer === 'keyguard' || (this.layer === 'shade' && !this.scrollsOn()))) {
      this.mode = 'shade'
      return
    }
    const swiped = vertical ? null : this.swipeView()
    if (swiped) {
      this.target = swiped
      this.mode = 'swipe'
      return
    }
    const direction = vertical ? 'vertical' : 'horizontal'
    const scroller = scrollerOf(this.target, direction)
    const rest = travel - Math.sign(travel) * this.slop
    this.mode = 'drag'
    this.scroller = scroller?.scroll ? { state: scroller.scroll, direction } : null
    this.drag(vertical ? 0 : rest, vertical ? rest : 0)
  }

  /** Whether the list under the finger has more rows below; if so, a swipe up does not close the shade. */
  private scrollsOn(): boolean {
    const state = scrollerOf(this.target, 'vertical')?.scroll ?? null
    return state !== null && state.offset < state.limit
  }

  private drag(dx: number, dy: number): void {
    if (this.scroller) {
      const { state, direction } = this.scroller
      const moved = state.offset - (direction === 'vertical' ? dy : dx)
      state.offset = Math.round(Math.max(0, Math.min(state.limit, moved)))
    } else {
      const pinch = this.pinchView()?.pinch
      if (!pinch) return
      pinch.onPan(dx, dy)
    }
    this.host.changed()
  }

  private pinch(finger: Finger, x: number, y: number): void {
    const [a, b] = [...this.fingers.values()]
    const v = this.pinchView()
    if (!a || !b || !v?.pinch || (finger !== a && finger !== b)) {
      finger.x = x
      finger.y = y
      return
    }
    const span = (): number => Math.hypot(a.x - b.x, a.y - b.y)
    const was = span()
    finger.x = x
    finger.y = y
    const is = span()
    if (was > 1 && is > 1) v.pinch.onPinch(is / was, (a.x + b.x) / 2, (a.y + b.y) / 2)
    this.host.changed()
  }

  private slide(x: number): void {
    const v = this.target
    if (!v?.onSlide) return
    v.onSlide(Math.max(0, Math.min(1, (x - v.rect.left) / Math.max(1, widthOf(v.rect)))))
    this.host.changed()
  }

  private up(id: number, x: number, y: number): void {
    const finger = this.fingers.get(id)
    if (!finger) return
    this.move(id, x, y)
    this.fingers.delete(id)
    if (this.fingers.size > 0) return
    clearTimeout(this.longPressTimer)
    const { mode, target } = this
    this.mode = 'idle'
    if (mode === 'shade') {
      if (this.host.shadeOpen()) this.host.closeShade()
      else if (this.host.locked() && this.layer === 'keyguard') this.host.unlock()
      else this.host.openShade()
      this.host.changed()
    }
    if (mode === 'swipe' && target && Math.abs(x - finger.startX) > widthOf(target.rect) / 3) {
      target.onSwipeAway?.()
      this.host.changed()
    }
    if (mode !== 'pressed' || !target) return
    if (contains(target.visible, x, y) && target.enabled) this.tap(target, x, y)
    this.host.changed()
  }

  private tap(target: View, x: number, y: number): void {
    const at = this.host.now()
    const near = Math.hypot(x - this.lastTap.x, y - this.lastTap.y) < 100 * (this.host.density / 2.625)
    const double = at - this.lastTap.at <= DOUBLE_TAP_MS && near && target.onDoubleTap !== null
    this.lastTap = double ? { at: -Infinity, x, y } : { at, x, y }
    if (double) target.onDoubleTap?.()
    else this.host.tap(target, x, y)
  }
}
