/**
 * Writes the page source: the XML of `/source`, which XPath searches. Format: server 10.6 with Android's KXml
 * serializer.
 */
import type { Display } from '../android/world.js'
import { sourceAttributes } from './attributes.js'
import type { Tree, TreeNode } from './tree.js'

/** The size from `Display.getSize`, which excludes the navigation bar. */
interface SourceDisplay extends Pick<Display, 'rotation' | 'width' | 'height'> {
  navigationHeight: number
}

const header = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

export function pageSource(tree: Tree, display: SourceDisplay, maxDepth: number): string {
  const height = display.height - display.navigationHeight
  const out = [
    `${header}\r\n<hierarchy index="0" class="hierarchy" rotation="${display.rotation}" width="${display.width}" height="${height}"`,
  ]
  if (tree.roots.length === 0) return `${out.join('')} />`
  out.push('>')
  for (const root of tree.roots) element(root, 1, maxDepth, out)
  out.push('\r\n</hierarchy>')
  return out.join('')
}

function element(node: TreeNode, depth: number, maxDepth: number, out: string[]): void {
  const indent = `\r\n${'  '.repeat(depth)}`
  const name = tagName(node.info.className)
  out.push(indent, '<', name)
  for (const [attribute, value] of sourceAttributes(node)) out.push(` ${attribute}="${escapeXml(value)}"`)
  if (node.children.length === 0 || depth >= maxDepth) {
    out.push(' />')
    return
  }
  out.push('>')
  for (const child of node.children) element(child, depth + 1, maxDepth, out)
  out.push(indent, '</', name, '>')
}

/** Converts a class name to an element's name: `a.B$C` becomes `a.B.C`. */
export function tagName(className: string): string {
  const name = className
    .replace(/[$@#&]/g, '.')
    .replace(/\.+/g, '.')
    .replace(/^\.|\.$/g, '')
  return name === '' ? 'android.view.View' : name
}

// oxlint-disable-next-line no-control-regex -- XML 1.0 forbids these characters, and some texts have them
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

function escapeXml(text: string): string {
  return text
    .replace(forbidden, '?')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[\u{10000}-\u{10ffff}]/gu, (character) => `&#${character.codePointAt(0) ?? 0xfffd};`)
}
