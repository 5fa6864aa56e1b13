/**
 * The XML of `uiautomator dump` (Android 14: attributes and their order as
 * `AccessibilityNodeInfoDumper` writes them) from a placed view tree.
 */
import { isEmpty } from './geometry.js'
import { shownText, type View } from './view.js'

/**
 * Characters for which Android's dumper writes a dot (control characters, U+FDD0 to U+FDDF, U+FFFE, U+FFFF),
 * and lone surrogates.
 */
const INVALID =
  /(?![\t\n\r\u0085])\p{Cc}|[\ufdd0-\ufddf\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

function escapeXml(text: string): string {
  return text.replace(INVALID, '.').replace(/[&<>"\n\r\t]/g, (c) => ENTITIES[c] ?? c)
}

function node(v: View, index: number, packageName: string, out: string[]): void {
  if (isEmpty(v.visible)) return
  const { left, top, right, bottom } = v.visible
  out.push(
    `<node index="${index}" text="${escapeXml(shownText(v))}" resource-id="${escapeXml(v.id)}" class="${v.className}"`,
    ` package="${escapeXml(packageName)}" content-desc="${escapeXml(v.description)}" checkable="${v.checkable}"`,
    ` checked="${v.checked}" clickable="${v.clickable}" enabled="${v.enabled}" focusable="${v.focusable}"`,
    ` focused="${v.focused}" scrollable="${v.scroll !== null && v.scroll.limit > 0}" long-clickable="${v.longClickable}"`,
    ` password="${v.password}" selected="${v.selected}" bounds="[${left},${top}][${right},${bottom}]"`,
  )
  if (v.children.length === 0) {
    out.push(' />')
    return
  }
  out.push('>')
  v.children.forEach((child, i) => node(child, i, packageName, out))
  out.push('</node>')
}

/** Returns the whole document of one window. */
export function hierarchyXml(root: View, packageName: string, rotation: number): string {
  const out = [`<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="${rotation}">`]
  node(root, 0, packageName, out)
  out.push('</hierarchy>')
  return out.join('')
}
