/** The accessibility tree of placed windows, from the views that are drawn and dumped. Used by `screen-source.ts`. */
import {
  type AccessibilityNode,
  type AccessibilityWindow,
  type ScreenRect,
} from '../../android/accessibility.js'
import { selectionEnd, selectionStart, setSelection } from '../toolkit/edit-state.js'
import { isEmpty } from '../toolkit/geometry.js'
import { shownText, type View } from '../toolkit/view.js'
import { typeText } from './keys.js'
import { type Layer, type Windows } from './windows.js'

/** `id` identifies a window during its lifetime; `changed` is called after an action on a node. */
interface AccessibilityParts {
  windows: Windows
  id: (layer: Layer) => number
  changed: () => void
}

const rectOf = ({ left, top, right, bottom }: ScreenRect): ScreenRect => ({ left, top, right, bottom })

function node(v: View, index: number, row: number | null, changed: () => void): AccessibilityNode {
  const { edit, onSlide, scroll } = v
  return {
    className: v.className,
    resourceId: v.id,
    text: shownText(v),
    description: v.description,
    hint: edit ? edit.hint : null,
    empty: edit !== null && v.text === '',
    checkable: v.checkable,
    checked: v.checked,
    clickable: v.clickable,
    enabled: v.enabled,
    focusable: v.focusable,
    focused: v.focused,
    longClickable: v.longClickable,
    password: v.password,
    scrollable: scroll !== null && scroll.limit > 0,
    selected: v.selected,
    selection: edit ? { start: selectionStart(edit.state), end: selectionEnd(edit.state) } : null,
    inputType: edit?.inputType ?? 0,
    progress: v.mark?.kind === 'slider' ? v.mark.value * 100 : null,
    scroll: scroll ? { offset: scroll.offset, limit: scroll.limit, direction: v.scrollDirection } : null,
    bounds: rectOf(v.visible),
    visible: !isEmpty(v.visible),
    index,
    row,
    children: v.children.map((child, at) => node(child, at, v.list ? v.firstRow + at : null, changed)),
    setText: edit
      ? (text) => {
          edit.state.text = ''
          setSelection(edit.state, 0, 0)
          typeText(edit, text)
          edit.onChange(edit.state.text)
          changed()
        }
      : null,
    setProgress: onSlide
      ? (percent) => {
          onSlide(Math.max(0, Math.min(1, percent / 100)))
          changed()
        }
      : null,
  }
}

/**
 * Android lists no window behind a window that receives every touch (`AccessibilityWindowManager`, "globally
 * modal"): a dialog hides its activity, the shade hides both, and a system dialog and the keyguard hide
 * everything except the bars.
 */
function isSeen(layer: Layer, layers: readonly Layer[]): boolean {
  const has = (name: Layer['name']) => layers.some((other) => other.name === name)
  if (has('keyguard')) return ['keyguard', 'status', 'navigation'].includes(layer.name)
  if (has('system_dialog')) return ['system_dialog', 'status', 'navigation'].includes(layer.name)
  if (layer.name === 'activity') return !has('dialog') && !has('shade')
  return layer.name !== 'dialog' || !has('shade')
}

/** Returns the windows, the frontmost first, like `UiAutomation.getWindows`. */
export function accessibilityWindows(parts: AccessibilityParts): AccessibilityWindow[] {
  const { layers, active } = parts.windows
  return layers
    .map((layer, at): AccessibilityWindow & { seen: boolean } => ({
      id: parts.id(layer),
      type: layer.name === 'keyboard' ? 2 : layer.name === 'activity' || layer.name === 'dialog' ? 1 : 3,
      title: layer.name,
      package: layer.package,
      bounds: rectOf(layer.dumpRoot.visible),
      active: layer === active,
      layer: at,
      root: node(layer.dumpRoot, 0, null, parts.changed),
      seen: isSeen(layer, layers) && !isEmpty(layer.dumpRoot.visible),
    }))
    .filter((window) => window.seen)
    .reverse()
}
