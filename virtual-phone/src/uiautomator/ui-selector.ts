/**
 * UiSelector: matching and search. Rules: AndroidX `UiSelector` and
 * `QueryController` (parts of texts regardless of case, whole texts exactly).
 */
import { RE2JS } from 're2js'
import { syntaxError, type Call } from './selector-text.js'
import { descend, type TreeNode } from './tree.js'

export interface UiSelector {
  tests: ((node: TreeNode) => boolean)[]
  instance: number | null
  child: UiSelector | null
  fromParent: UiSelector | null
}

type Text = (node: TreeNode) => string
type Flag = (node: TreeNode) => boolean

const texts: Readonly<Record<string, Text>> = {
  text: (node) => node.info.text,
  description: (node) => node.info.description,
  className: (node) => node.info.className,
  resourceId: (node) => node.info.resourceId,
  packageName: (node) => node.window.package,
}

const flags: Readonly<Record<string, Flag>> = {
  checkable: ({ info }) => info.checkable,
  checked: ({ info }) => info.checked,
  clickable: ({ info }) => info.clickable,
  enabled: ({ info }) => info.enabled,
  focusable: ({ info }) => info.focusable,
  focused: ({ info }) => info.focused,
  longClickable: ({ info }) => info.longClickable,
  scrollable: ({ info }) => info.scrollable,
  selected: ({ info }) => info.selected,
}

/** @throws ServerError for a method that UiSelector, or this phone, does not support */
export function selectorOf(expression: string, [, ...calls]: readonly Call[]): UiSelector {
  const selector: UiSelector = { tests: [], instance: null, child: null, fromParent: null }
  for (const call of calls) add(expression, selector, call)
  return selector
}

function add(expression: string, selector: UiSelector, call: Call): void {
  const [value, ...more] = call.arguments
  const wrong = () =>
    syntaxError(expression, `UiSelector has no suitable method \`${call.name}\` with these arguments`)
  if (value === undefined || more.length > 0) throw wrong()
  const flag = flags[call.name]
  const text = texts[call.name]
  if (flag !== undefined && typeof value === 'boolean') selector.tests.push((node) => flag(node) === value)
  else if (text !== undefined && typeof value === 'string')
    selector.tests.push((node) => text(node) === value)
  else if (typeof value === 'string')
    selector.tests.push(partTest(expression, call.name, value) ?? fail(wrong))
  else if (typeof value === 'number' && call.name === 'index')
    selector.tests.push(({ info }) => info.index === value)
  else if (typeof value === 'number' && call.name === 'instance') selector.instance = value
  else if (Array.isArray(value) && (call.name === 'childSelector' || call.name === 'fromParent')) {
    const inner = selectorOf(expression, value)
    if (call.name === 'childSelector') selector.child = inner
    else selector.fromParent = inner
  } else throw wrong()
}

function fail(wrong: () => Error): never {
  throw wrong()
}

/** Parses `textContains`, `descriptionStartsWith`, `resourceIdMatches` …; null for an unknown method. */
function partTest(expression: string, name: string, value: string): Flag | null {
  const [, base = '', part] = /^(\w+?)(Contains|StartsWith|Matches)$/.exec(name) ?? []
  const text = texts[base]
  if (text === undefined) return null
  const sought = value.toLowerCase()
  const readable = base === 'text' || base === 'description'
  if (part === 'Contains' && readable) return (node) => text(node).toLowerCase().includes(sought)
  if (part === 'StartsWith' && readable) return (node) => text(node).toLowerCase().startsWith(sought)
  if (part !== 'Matches') return null
  const pattern = wholePattern(expression, value)
  return (node) => pattern(text(node))
}

/**
 * Matches the whole text, like Java's `matches`, in linear time, since a client's expression with unbounded
 * backtracking would block every phone. Look-around and back references, which need backtracking, are
 * refused.
 */
function wholePattern(expression: string, value: string): (text: string) => boolean {
  try {
    const pattern = RE2JS.compile(value)
    return (text) => pattern.testExact(text)
  } catch (error) {
    throw syntaxError(expression, error instanceof Error ? error.message : String(error))
  }
}

/** Finds matches in document order, in these nodes and their descendants. */
export function matchSelector(selector: UiSelector, from: readonly TreeNode[]): TreeNode[] {
  const own = from
    .flatMap((root) => [...descend(root)])
    .filter((node) => selector.tests.every((test) => test(node)))
  const chosen = selector.instance === null ? own : own.slice(selector.instance, selector.instance + 1)
  const { child, fromParent } = selector
  if (child !== null) return unique(chosen.flatMap((node) => matchSelector(child, node.children)))
  if (fromParent !== null)
    return unique(chosen.flatMap((node) => matchSelector(fromParent, node.parent?.children ?? [])))
  return chosen
}

const unique = (nodes: readonly TreeNode[]): TreeNode[] => [...new Set(nodes)]
