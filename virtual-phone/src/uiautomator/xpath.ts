/**
 * Evaluates XPath over the tree with fontoxpath. The document has the page source's names, attributes and
 * order.
 */
import { createRequire } from 'node:module'
import type * as FontoXPath from 'fontoxpath'
import { Document, type Element } from 'slimdom'
import { sourceAttributes } from './attributes.js'
import { ServerError } from './errors.js'
import { tagName } from './source.js'
import type { Tree, TreeNode } from './tree.js'

// The package is required on first use and not imported, since Node cannot detect the exports of this
// CommonJS package.
const require = createRequire(import.meta.url)
const loadXPath = () => require('fontoxpath') as typeof FontoXPath

/**
 * Returns nodes in document order. With `context`, the document is that node and its descendants, as with the
 * server's setting `limitXPathContextScope`.
 * @throws ServerError for an invalid expression
 */
export function findByXPath(tree: Tree, expression: string, context: TreeNode | null): TreeNode[] {
  const document = new Document()
  const nodes = new Map<Element, TreeNode>()
  if (context !== null) document.appendChild(elementOf(document, context, nodes))
  else {
    const hierarchy = document.createElement('hierarchy')
    hierarchy.setAttribute('class', 'hierarchy')
    hierarchy.setAttribute('index', '0')
    for (const root of tree.roots) hierarchy.appendChild(elementOf(document, root, nodes))
    document.appendChild(hierarchy)
  }
  const { evaluateXPathToNodes } = loadXPath()
  try {
    return evaluateXPathToNodes<Element>(expression, document).flatMap((found) => nodes.get(found) ?? [])
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new ServerError('invalid selector', `The XPath expression '${expression}' is invalid: ${message}`)
  }
}

function elementOf(document: Document, node: TreeNode, nodes: Map<Element, TreeNode>): Element {
  const element = document.createElement(tagName(node.info.className))
  for (const [name, value] of sourceAttributes(node)) element.setAttribute(name, value)
  nodes.set(element, node)
  for (const child of node.children) element.appendChild(elementOf(document, child, nodes))
  return element
}
