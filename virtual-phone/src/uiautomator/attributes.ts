/**
 * The values of `/source` and `/element/:id/attribute/:name` for a node. Names, aliases, order and omissions:
 * server 10.6, `Attribute`, `UiElementSnapshot`, `UiObject2Element`.
 */
import { ServerError } from './errors.js'
import type { TreeNode } from './tree.js'

type Value = string | number | boolean | null

/** Aliases that requests can use. The page source contains the first alias. */
const aliases: readonly (readonly string[])[] = [
  ['checkable'],
  ['checked'],
  ['class', 'className'],
  ['clickable'],
  ['content-desc', 'contentDescription'],
  ['enabled'],
  ['focusable'],
  ['focused'],
  ['long-clickable', 'longClickable'],
  ['package'],
  ['password'],
  ['resource-id', 'resourceId'],
  ['scrollable'],
  ['selection-start'],
  ['selection-end'],
  ['selected'],
  ['text', 'name'],
  ['hint'],
  ['extras'],
  ['bounds'],
  ['displayed'],
  ['contentSize'],
  ['is-collection', 'isCollection'],
  ['is-collection-item', 'isCollectionItem'],
]

const orNull = (text: string): string | null => (text === '' ? null : text)
const listClass = /(?:RecyclerView|ListView|GridView)$/

/**
 * Returns the result of `AccessibilityNodeInfo.getText`, except that a slider returns its number. Never null.
 */
export function textOf({ info }: TreeNode): string {
  return info.progress === null ? info.text : javaFloat(info.progress)
}

/** Formats like `Float.toString`, for the small numbers of sliders. */
function javaFloat(value: number): string {
  const rounded = Math.fround(value)
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(Number(rounded.toPrecision(7)))
}

function boundsText({ info }: TreeNode): string {
  const { left, top, right, bottom } = info.bounds
  return `[${left},${top}][${right},${bottom}]`
}

/** Returns the attributes in the order of the page source, without attributes that have no value. */
export function sourceAttributes(node: TreeNode): [string, string][] {
  const { info, parent, window } = node
  const range = selectionOf(node)
  const isCollection = listClass.test(info.className)
  const isItem = parent !== null && listClass.test(parent.info.className)
  const all: [string, Value][] = [
    ['index', info.index],
    ['package', window.package],
    ['class', info.className],
    ['text', textOf(node)],
    ['content-desc', orNull(info.description)],
    ['resource-id', orNull(info.resourceId)],
    ['checkable', info.checkable],
    ['checked', info.checked],
    ['clickable', info.clickable],
    ['enabled', info.enabled],
    ['focusable', info.focusable],
    ['focused', info.focused],
    ['long-clickable', info.longClickable],
    ['password', info.password],
    ['scrollable', info.scrollable],
    ['selection-start', range?.start ?? null],
    ['selection-end', range?.end ?? null],
    ['selected', info.selected],
    ['bounds', boundsText(node)],
    ['displayed', info.visible],
    ['hint', info.hint === null ? null : orNull(info.hint)],
    ['a11y-important', true],
    ['screen-reader-focusable', false],
    ['input-type', info.inputType === 0 ? null : info.inputType],
    ['drawing-order', parent === null ? 0 : info.index + 1],
    ['showing-hint', showsHint(node)],
    ['text-entry-key', false],
    ['dismissable', false],
    ['a11y-focused', false],
    ['heading', false],
    ['live-region', 0],
    ['context-clickable', false],
    ['content-invalid', false],
    ['window-id', window.id],
    ['is-collection', isCollection ? true : null],
    ['is-collection-item', isItem ? true : null],
  ]
  return all.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, String(value)]]))
}

/** The hint replaces the text. */
function showsHint({ info }: TreeNode): boolean {
  return info.empty && info.hint !== null && info.hint !== ''
}

/** Returns only a non-empty selection, in the server's format. */
function selectionOf({ info }: TreeNode): { start: number; end: number } | null {
  const { selection } = info
  return selection !== null && selection.start !== selection.end ? selection : null
}

/** @throws ServerError for an unknown attribute */
export function attributeOf(node: TreeNode, name: string): string | null {
  const known = aliases.find((names) => names.some((alias) => alias.toLowerCase() === name.toLowerCase()))
  const canonical = known?.[0]
  if (canonical === undefined) throw unknownAttribute(name)
  if (canonical === 'contentSize') {
    const content = contentSize(node)
    return content === null ? null : JSON.stringify(content)
  }
  if (canonical === 'is-collection') return String(listClass.test(node.info.className))
  if (canonical === 'is-collection-item')
    return String(node.parent !== null && listClass.test(node.parent.info.className))
  // Views of this phone have no extras.
  if (canonical === 'extras') return ''
  return sourceAttributes(node).find(([attribute]) => attribute === canonical)?.[1] ?? null
}

function contentSize({ info }: TreeNode): Record<string, number> | null {
  if (info.scroll === null) return null
  const { left, top, right, bottom } = info.bounds
  return {
    width: right - left,
    height: bottom - top,
    top,
    left,
    scrollableOffset: bottom - top + info.scroll.limit,
    touchPadding: 21,
  }
}

function unknownAttribute(name: string): ServerError {
  const shown = aliases.map((names) => (names.length > 1 ? `{${names.join(',')}}` : names[0])).join(', ')
  return new ServerError(
    'unknown command',
    `'${name}' attribute is unknown for the element. Only the following attributes are supported: [${shown}]`,
  )
}
