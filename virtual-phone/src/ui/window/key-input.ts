/**
 * The effects of key presses: first the system's keys, then the focused field, and then the focus of the
 * direction keys.
 */
import { scrollerOf } from '../toolkit/hit.js'
import { walk, type EditBinding, type View } from '../toolkit/view.js'
import { nextFocus, viewAt, type Direction } from './key-focus.js'
import { editKey, KEY, META, typeText, type EditTarget } from './keys.js'
import { HOME, type Model } from './model.js'
import { type Windows } from './windows.js'

const RECENTS = 'com.android.quickstep.RecentsActivity'

interface KeyHost {
  model: Model
  windows: () => Windows
  /** Returns the focused field. When the field is known, nothing is placed. */
  focusedEdit: () => EditBinding | null
  setClipboard: (text: string) => void
}

export class KeyInput {
  constructor(private readonly host: KeyHost) {}

  /** Enters text into the focused field; false when no field has the focus. */
  type(text: string): boolean {
    const target = this.editTarget()
    if (!target) return false
    typeText(target.binding, text)
    target.changed()
    return true
  }

  /**
   * Handles a key's press; its release has no effect. Returns whether the press changed only the focused
   * field's text or cursor.
   */
  press(keyCode: number, meta: number): boolean {
    const { model } = this.host
    if (keyCode === KEY.power && model.awake) model.sleep()
    else if (keyCode === KEY.power) model.awake = true
    else if (keyCode === KEY.wakeup) model.awake = true
    else if (keyCode === KEY.sleep || keyCode === KEY.softSleep) model.sleep()
    if (!model.awake) return false
    switch (keyCode) {
      case KEY.home:
        model.goHome()
        return false
      case KEY.appSwitch:
        this.recents()
        return false
      case KEY.back:
      case KEY.escape:
        this.back()
        return false
    }
    const target = this.editTarget()
    if (target && editKey(target, keyCode, meta)) {
      return target.binding.multiline || (keyCode !== KEY.enter && keyCode !== KEY.numpadEnter)
    }
    this.focusKey(keyCode, meta)
    return false
  }

  private editTarget(): EditTarget | null {
    const binding = this.focusedEdit()
    if (!binding) return null
    return {
      binding,
      clipboard: this.host.model.clipboard,
      setClipboard: (text) => {
        this.host.setClipboard(text)
      },
      changed: () => {
        binding.onChange(binding.state.text)
      },
    }
  }

  private focusedEdit(): EditBinding | null {
    return this.host.model.shadeOpen ? null : this.host.focusedEdit()
  }

  /** Handles keys that no field used: direction focus, click and page scrolling. */
  private focusKey(keyCode: number, meta: number): void {
    const directions: Record<number, Direction> = {
      [KEY.up]: 'up',
      [KEY.down]: 'down',
      [KEY.left]: 'left',
      [KEY.right]: 'right',
      [KEY.tab]: (meta & META.shift) !== 0 ? 'previous' : 'next',
    }
    const root = this.host.windows().active.dumpRoot
    const activity = this.host.model.top
    const current = activity.keyFocus === null ? this.fieldView(root) : viewAt(root, activity.keyFocus)
    const direction = directions[keyCode]
    if (direction) {
      const next = nextFocus(root, current, direction)
      if (next?.view.edit) {
        this.host.model.focusField(next.view.edit.state, this.host.model.keyboard.shown)
      } else if (next) {
        this.host.model.focusField(null, false)
        activity.keyFocus = next.place
      } else this.scrollBy(current ?? root, direction === 'up' ? -0.5 : direction === 'down' ? 0.5 : 0)
    } else if (
      keyCode === KEY.center ||
      keyCode === KEY.enter ||
      keyCode === KEY.space ||
      keyCode === KEY.numpadEnter
    ) {
      if (current?.enabled) current.onClick?.()
    } else if (keyCode === KEY.pageUp || keyCode === KEY.pageDown) {
      this.scrollBy(current ?? root, keyCode === KEY.pageUp ? -0.9 : 0.9)
    }
  }

  private fieldView(root: View): View | null {
    for (const v of walk(root)) if (v.edit?.focused) return v
    return null
  }

  /** Scrolls the nearest scroller by a share of its height. */
  private scrollBy(from: View, share: number): void {
    let scroller = scrollerOf(from, 'vertical')
    if (!scroller) for (const v of walk(from)) if (v.scroll && v.scroll.limit > 0) scroller ??= v
    if (!scroller?.scroll) return
    const { scroll, rect } = scroller
    scroll.offset = Math.round(
      Math.max(0, Math.min(scroll.limit, scroll.offset + share * (rect.bottom - rect.top))),
    )
  }

  back(): void {
    const { model } = this.host
    const activity = model.top
    if (model.shadeOpen) model.shadeOpen = false
    else if (model.keyboardShown) model.hideKeyboard()
    else if (activity.dialog) model.closeDialog(activity)
    else if (activity.onBack) activity.onBack()
    else model.finish(activity)
  }

  recents(): void {
    this.host.model.start({
      component: { package: HOME, className: RECENTS },
      action: 'open',
      categories: [],
      extras: {},
    })
  }
}
