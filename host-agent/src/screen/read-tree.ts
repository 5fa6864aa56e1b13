/**
 * Reads the element tree of a phone as it is now, with what is in front. The two
 * are read beside each other and must agree: what Android remembers of a screen
 * can lag behind it, and windows change while they are read. The tree takes longest
 * by far, so that it is asked for first: the others begin once that has been sent.
 */
import { setImmediate } from 'node:timers/promises'
import { ownNow, type Progress } from '@phonerack/shared'
import type { Device, WindowState } from '../device/device.js'
import { atOnce } from './at-once.js'
import { showsDialog } from './behind-dialog.js'
import { buildTree, type ScreenTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes, type ParsedNodes, type UiNode } from './nodes.js'

/** A tree that is empty or broken is often whole a moment later: a window was just changing. */
const tries = 3
const pauseMs = 300
/** A phone that took longer to say nothing (its screen never rests) would only take as long again. */
const patienceMs = 5000

/** What a screen that is off shows, whatever the phone remembers of it. */
const nothing: ParsedNodes = { nodes: [], frontFirst: false, cut: false }

export interface ScreenRead {
  /** Cut when it does not show the app in front: then there is more on the screen than it tells. */
  tree: ScreenTree
  window: WindowState
}

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export async function readScreen(device: Device, progress: Progress): Promise<ScreenRead> {
  const startedAt = ownNow()
  let anew = false
  for (let attempt = 1; ; attempt += 1) {
    const [xml, [screen, window]] = await atOnce(
      () => device.ui.source(progress, anew),
      async () => {
        await setImmediate()
        return atOnce(
          () => device.screen.size(progress),
          () => device.windows.read(progress),
        )
      },
    )
    if (!window.screenOn) return { tree: buildTree(nothing, screen), window }
    try {
      const parsed = parseNodes(xml)
      const tree = buildTree(parsed, screen, window)
      if (showsFront(parsed.nodes, window)) return { tree, window }
      if (anew) return { tree: { ...tree, cut: true }, window }
      anew = true
    } catch (error) {
      const again = attempt < tries && ownNow() - startedAt < patienceMs
      if (!(error instanceof ScreenXmlError) || error.neverIdle || !again) throw error
      await progress.sleep(pauseMs, 'reading the screen again')
    }
  }
}

/** @throws ScreenXmlError after broken answers; ApiError, DeviceGone, DeadlineExceeded */
export const readTree = async (device: Device, progress: Progress): Promise<ScreenTree> =>
  (await readScreen(device, progress)).tree

/** What `showsFront` asks of the window in front. */
type FrontWindow = Pick<WindowState, 'package' | 'systemDialog'>

/**
 * Whether the app in front is in the tree, or the system's dialog over it; also true when the phone does not say which app,
 * or whose nodes.
 */
export function showsFront(nodes: readonly UiNode[], front: FrontWindow): boolean {
  const packages = new Set(nodes.map((node) => node.package))
  packages.delete('')
  if (packages.size === 0) return true
  if (front.systemDialog) return showsDialog(nodes, front)
  return front.package === '' || packages.has(front.package)
}
