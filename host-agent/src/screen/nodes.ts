/**
 * Reads a phone's nodes from both XML dialects: `uiautomator dump` (tags `node` with a
 * `class`) and the UI server's page source (tags named by class). Returns a flat list in
 * document order, so that a deep tree needs no recursion.
 */
import { parseBounds, type Bounds } from './geometry.js'
import type { Attributes } from './plain-xml.js'
import { readXml } from './xml.js'

export interface UiNode {
  /** Position in the list; parents come before their children. */
  index: number
  /** Index of the parent, -1 for a root. */
  parent: number
  className: string
  package: string
  /** The app's text; always empty for a password field. */
  text: string
  desc: string
  id: string
  /** Text that the field shows while it is empty; null when the phone does not report it. */
  hint: string | null
  /** Whether the phone reports that `text` is the hint; null when it does not report it. */
  showsHint: boolean | null
  /** UTF-16 units of a password field's masked text; 0 for other nodes. */
  maskedLength: number
  bounds: Bounds | null
  /** Whether the bounds are `[0,0][0,0]`, which means that the node has no position. */
  unplaced: boolean
  /** False when the phone reports that the node is not on the screen. */
  shown: boolean
  clickable: boolean
  longClickable: boolean
  checkable: boolean
  checked: boolean
  editable: boolean
  focusable: boolean
  focused: boolean
  selected: boolean
  scrollable: boolean
  enabled: boolean
  password: boolean
  /** Siblings with a higher number are drawn over siblings with a lower number; 0 when not reported. */
  drawingOrder: number
}

export interface ParsedNodes {
  nodes: UiNode[]
  /** Several roots are windows, the front window first, as the UI server lists them (`AXWindowHelpers`). */
  frontFirst: boolean
  /** The roots that are keyboards, which are in front of every app (`withoutBars`). */
  keyboards: ReadonlySet<number>
  /** Nodes beyond the limits of number or depth were omitted. */
  cut: boolean
}

/** Far beyond real trees: the deepest setting of the UI server is 500. */
const maxDepth = 1000
const maxNodes = 20_000

/** Tags that contain windows or a hierarchy and are not views. */
const isWrapper = (name: string, className: string | undefined): boolean =>
  name === 'hierarchy' || (name !== 'node' && className === undefined && !name.includes('.'))

const editableClass = /(?:EditText|AutoCompleteTextView|SearchAutoComplete)$/

/** @throws ScreenXmlError */
export function parseNodes(source: string | Uint8Array): ParsedNodes {
  const nodes: UiNode[] = []
  // One entry per open tag: the index that its children get as parent.
  const open: number[] = []
  let cut = false
  let frontFirst = false
  readXml(source, {
    open(name, attributes) {
      const parent = open.at(-1) ?? -1
      const wrapper = isWrapper(name, attributes.get('class'))
      const skipped = !wrapper && (open.length >= maxDepth || nodes.length >= maxNodes)
      if (skipped) cut = true
      if (name === 'hierarchy' && attributes.get('class') === 'hierarchy') frontFirst = true
      open.push(wrapper || skipped ? parent : nodes.length)
      if (!wrapper && !skipped) nodes.push(toNode(nodes, parent, name, attributes))
    },
    close() {
      open.pop()
    },
  })
  return { nodes, frontFirst, keyboards: new Set(), cut }
}

function toNode(nodes: readonly UiNode[], parent: number, name: string, attributes: Attributes): UiNode {
  const is = (attribute: string): boolean => attributes.get(attribute) === 'true'
  const className = attributes.get('class') ?? (name === 'node' ? '' : name)
  // The children of a password field are parts of its text.
  const password = is('password') || (nodes[parent]?.password ?? false)
  const text = attributes.get('text') ?? ''
  const showsHint = attributes.get('showing-hint')
  return {
    index: nodes.length,
    parent,
    className,
    package: attributes.get('package') ?? '',
    text: password ? '' : text,
    desc: attributes.get('content-desc') ?? '',
    id: attributes.get('resource-id') ?? '',
    hint: attributes.get('hint') ?? null,
    showsHint: showsHint === undefined ? null : showsHint === 'true',
    maskedLength: password ? text.length : 0,
    bounds: parseBounds(attributes.get('bounds')),
    unplaced: attributes.get('bounds') === '[0,0][0,0]',
    shown: attributes.get('displayed') !== 'false' && attributes.get('visible-to-user') !== 'false',
    clickable: is('clickable'),
    longClickable: is('long-clickable'),
    checkable: is('checkable'),
    checked: is('checked'),
    editable: is('editable') || editableClass.test(className),
    focusable: is('focusable'),
    focused: is('focused'),
    selected: is('selected'),
    scrollable: is('scrollable'),
    enabled: attributes.get('enabled') !== 'false',
    password,
    drawingOrder: readOrder(attributes.get('drawing-order')),
  }
}

const readOrder = (text: string | undefined): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0
