/**
 * The numbers (refs) of the elements of one assignment's screens. An element keeps its number while it stays in its app window;
 * no other element of this window gets it. A number is used when a client got it. docs/decisions/0323
 */
import type { WindowState } from '../../adb/device/device.js'
import type { ScreenTree } from '../elements.js'
import { packageOf } from '../observation.js'
import { findSame } from './same.js'
import { traceOf, type Trace } from './trace.js'

/** Maximum number of app windows whose refs are kept. The least recently used window is removed first. */
const maxWindows = 8
/**
 * Maximum number of the last screens of a window. Elements that a dialog or a scroll had removed get their numbers back
 * from these screens.
 */
const maxScreens = 4

/**
 * Counts the windows of all assignments, and never restarts, so that an old snapshot never refers to a later window.
 */
let lastWindow = 0

interface AppWindow {
  id: number
  /** The next new number. */
  next: number
  /** The screens that clients got, the newest first. */
  screens: Trace[][]
}

interface Numbered {
  window: AppWindow
  traces: Trace[]
  /** The screen with which the tree was compared. */
  against: Trace[] | undefined
}

export class Refs {
  private readonly windows = new Map<string, AppWindow>()
  private readonly trees = new WeakMap<ScreenTree, Numbered>()

  /** Numbers the elements of a tree that was just read. */
  number(tree: ScreenTree, state: Pick<WindowState, 'package' | 'activity' | 'systemDialog'>): void {
    const window = this.windowOf(
      JSON.stringify([state.package || packageOf(tree), state.activity, state.systemDialog]),
    )
    tree.window = window.id
    const numbered = { window, traces: traceOf(tree), against: window.screens[0] }
    this.trees.set(tree, numbered)
    assign(tree, numbered)
  }

  /** Records that a client gets this tree, whose refs the client then uses. */
  shown(tree: ScreenTree): void {
    const numbered = this.trees.get(tree)
    if (!numbered || numbered.traces.length === 0) return
    const { window, traces } = numbered
    if (window.screens.includes(traces)) return
    if (window.screens[0] !== numbered.against) assign(tree, numbered)
    window.screens = [traces, ...window.screens.slice(0, maxScreens - 1)]
    window.next = Math.max(window.next, ...tree.elements.map(({ ref }) => ref + 1))
  }

  private windowOf(key: string): AppWindow {
    const window = this.windows.get(key) ?? { id: (lastWindow += 1), next: 1, screens: [] }
    this.windows.delete(key)
    this.windows.set(key, window)
    for (const oldest of this.windows.keys()) {
      if (this.windows.size <= maxWindows) break
      this.windows.delete(oldest)
    }
    return window
  }
}

/** Sets the refs of the elements, and of their traces. */
function assign({ elements }: ScreenTree, { window, traces }: Numbered): void {
  const refs = new Map<number, number>()
  const isUsed = new Set<number>()
  for (const [age, screen] of window.screens.entries()) {
    if (refs.size === traces.length) break
    for (const [index, was] of findSame(screen, traces, age === 0).entries()) {
      const node = traces[index]?.index
      if (!was || node === undefined || refs.has(node) || isUsed.has(was.ref)) continue
      refs.set(node, was.ref)
      isUsed.add(was.ref)
    }
  }
  let next = window.next
  for (const element of elements) {
    element.ref = refs.get(element.node.index) ?? next
    if (element.ref === next) next += 1
    refs.set(element.node.index, element.ref)
  }
  for (const trace of traces) trace.ref = refs.get(trace.index) ?? 0
}
