/** Finds elements with the server's five strategies. */
import { invalidArgument, ServerError } from './errors.js'
import { parseChain } from './selector-text.js'
import type { Session } from './session.js'
import { descend, type Tree, type TreeNode } from './tree.js'
import { matchSelector, selectorOf } from './ui-selector.js'
import { findByXPath } from './xpath.js'

export interface Locator {
  strategy: string
  selector: string
  /** The element to search in; null for the whole screen. */
  context: string | null
}

const strategies = ['id', 'xpath', 'accessibility id', 'class name', '-android uiautomator']

/** @throws ServerError */
export function locatorOf(body: Readonly<Record<string, unknown>>): Locator {
  const { strategy, selector, context } = body
  if (typeof strategy !== 'string' || typeof selector !== 'string')
    throw invalidArgument("Both 'strategy' and 'selector' must be set")
  return {
    strategy,
    selector,
    context: typeof context === 'string' && context.trim() !== '' ? context : null,
  }
}

/**
 * Returns all matches in document order.
 * @throws ServerError for an unknown strategy or an invalid selector
 */
export function findAll(
  session: Session,
  tree: Tree,
  locator: Locator,
  context: TreeNode | null,
): TreeNode[] {
  const { strategy, selector } = locator
  const within = context === null ? tree.nodes : [...descend(context)]
  const exactly = (value: (node: TreeNode) => string, wanted: string) =>
    within.filter((node) => value(node) === wanted)
  switch (strategy) {
    case 'id':
      return exactly(({ info }) => info.resourceId, fullId(session, selector))
    case 'accessibility id':
      return exactly(({ info }) => info.description, selector)
    case 'class name':
      return exactly(({ info }) => info.className, selector)
    case 'xpath':
      return findByXPath(tree, selector, context)
    case '-android uiautomator':
      return matchSelector(
        selectorOf(selector, parseChain(selector)),
        context === null ? tree.roots : context.children,
      )
    default:
      throw new ServerError(
        'invalid selector',
        `Selector strategy '${strategy}' is not supported. Only the following selector strategies are supported: [${strategies.join(', ')}]`,
      )
  }
}

/** A name without a package belongs to the app under test. */
function fullId(session: Session, selector: string): string {
  const whole = /^[a-zA-Z_][a-zA-Z0-9._]*:[^/]+\/\S+$/.test(selector)
  if (whole || session.flag('disableIdLocatorAutocompletion')) return selector
  const app = session.capabilities['appPackage']
  return `${typeof app === 'string' && app !== '' ? app : 'io.appium.uiautomator2.server'}:id/${selector}`
}
