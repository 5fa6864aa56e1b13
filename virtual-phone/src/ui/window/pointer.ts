/** Applies taps, long presses and the mouse wheel to the views under them. Used by `world.ts`. */
import { setSelection } from '../toolkit/edit-state.js'
import { contains } from '../toolkit/geometry.js'
import { walk, type View } from '../toolkit/view.js'
import { offsetAt, wordAt } from './cursor.js'
import { type Model } from './model.js'
import { type ScreenSource } from './screen-source.js'

/** The pixels of one mouse wheel notch: Android's 64 dp. */
const WHEEL_DP = 64

export class Pointer {
  constructor(
    private readonly model: Model,
    private readonly screen: ScreenSource,
  ) {}

  tap(v: View, x: number, y: number): void {
    this.model.top.keyFocus = null
    if (v.edit) {
      const offset = offsetAt(v, x, y, this.screen.scale)
      setSelection(v.edit.state, offset, offset)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onClick?.()
  }

  longPress(v: View, x: number, y: number): void {
    if (v.edit) {
      const { start, end } = wordAt(v.edit.state.text, offsetAt(v, x, y, this.screen.scale))
      setSelection(v.edit.state, start, end)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onLongClick?.()
  }

  scroll(x: number, y: number, horizontal: number, vertical: number): void {
    const step = WHEEL_DP * this.screen.scale.density
    for (const direction of ['vertical', 'horizontal'] as const) {
      const notches = direction === 'vertical' ? vertical : -horizontal
      const scroller = notches === 0 ? null : this.scrollerAt(x, y, direction)
      if (!scroller) continue
      scroller.offset = Math.round(Math.max(0, Math.min(scroller.limit, scroller.offset - notches * step)))
    }
  }

  private scrollerAt(x: number, y: number, direction: View['scrollDirection']): View['scroll'] {
    const layer = [...this.screen.windows().layers]
      .reverse()
      .find((l) => l.name !== 'status' && contains(l.root.visible, x, y))
    let found: View['scroll'] = null
    if (layer) {
      for (const v of walk(layer.root)) {
        if (v.scroll && v.scrollDirection === direction && contains(v.visible, x, y)) found = v.scroll
      }
    }
    return found
  }
}
