/** The objects that a session's handlers use: the phone, the current tree, the found elements. */
import type { Android } from '../android/android.js'
import { ServerError } from './errors.js'
import type { Gestures } from './gestures.js'
import { findAll, type Locator } from './find.js'
import { findByScrolling } from './scrollable.js'
import { parseChain } from './selector-text.js'
import type { Session } from './session.js'
import { buildTree, centerOf, type Tree, type TreeNode } from './tree.js'

const settlePollMs = 20

export class Screen {
  constructor(
    readonly android: Android,
    readonly session: Session,
    readonly gestures: Gestures,
  ) {}

  /** Builds the tree of the current screen, for each request. */
  tree(): Tree {
    return buildTree(this.android.world.accessibilityWindows(), {
      multiWindows: this.session.flag('enableMultiWindows'),
      invisible: this.session.flag('allowInvisibleElements'),
    })
  }

  /**
   * Returns the element's current node.
   * @throws ServerError when the element is unknown or stale
   */
  element(id: string): TreeNode {
    this.session.assertKnown(id)
    const all = { multiWindows: true, invisible: true }
    const { nodes } = buildTree(this.android.world.accessibilityWindows(), all)
    const node = nodes.find((each) => each.id === id)
    if (node === undefined)
      throw new ServerError('stale element reference', `The element '${id}' does not exist in DOM anymore`)
    return node
  }

  /** Takes the time of a search: a search reads nodes as a tree does, ends at the element, and writes no XML. */
  async search(): Promise<void> {
    await this.settle()
    const searchMs = this.android.uiTreeMs() / 2
    if (searchMs > 0) await this.gestures.wait(searchMs)
  }

  /** Waits before a read up to `waitForIdleTimeout` for an idle screen, like the server. */
  async settle(): Promise<void> {
    const until = performance.now() + this.session.number('waitForIdleTimeout')
    while (!this.android.world.idle && performance.now() < until && !this.gestures.signal.aborted) {
      await this.gestures.wait(settlePollMs)
    }
  }

  /** Presses the centre of the element's visible part. Does nothing when no part is visible. */
  async click({ info }: TreeNode): Promise<void> {
    if (info.visible) await this.gestures.tap(centerOf(info.bounds))
  }

  /**
   * Finds elements, in document order; `one`: only the first. The found elements are cached for later requests.
   * @throws ServerError
   */
  async find(locator: Locator, one: boolean): Promise<TreeNode[]> {
    await this.search()
    const context = locator.context === null ? null : this.element(locator.context)
    const found = (await this.scrolled(locator)) ?? findAll(this.session, this.tree(), locator, context)
    const chosen = one ? found.slice(0, 1) : found
    for (const node of chosen) this.session.remember(node.id)
    return chosen
  }

  /** Returns null when the locator does not scroll. */
  private async scrolled({ strategy, selector }: Locator): Promise<TreeNode[] | null> {
    if (strategy !== '-android uiautomator' || !/^\s*new\s+UiScrollable\b/.test(selector)) return null
    const found = await findByScrolling(this, selector, parseChain(selector))
    return found === null ? [] : [found]
  }
}
