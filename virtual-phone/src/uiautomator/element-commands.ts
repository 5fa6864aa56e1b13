/** Commands on elements: find, click, type, read. Behaviour: server 10.6, `handler/`. */
import { attributeOf, textOf } from './attributes.js'
import { elementKey, needed, stringIn } from './body.js'
import { invalidArgument, noSuchElement, ServerError } from './errors.js'
import { locatorOf } from './find.js'
import type { Call } from './routes.js'
import type { Screen } from './screen.js'
import { screenshotOf } from './screenshot.js'
import type { TreeNode } from './tree.js'

export type Command = (screen: Screen, call: Call) => unknown

const enterKey = 66

const nodeOf = (screen: Screen, call: Call): TreeNode => screen.element(call.path['id'] ?? '')

/** Returns the element's JSON for the client; longer when the setting `shouldUseCompactResponses` is off. */
function elementModel(screen: Screen, node: TreeNode): Record<string, unknown> {
  const model: Record<string, unknown> = { ELEMENT: node.id, [elementKey]: node.id }
  if (screen.session.flag('shouldUseCompactResponses')) return model
  for (const field of String(screen.session.settings.elementResponseAttributes).split(',')) {
    if (field === 'name') model[field] = node.info.description === '' ? null : node.info.description
    else if (field === 'text') model[field] = textOf(node)
    else if (field === 'rect') model[field] = rectOf(node)
    else if (['enabled', 'displayed', 'selected'].includes(field)) model[field] = attributeOf(node, field)
    else if (field.startsWith('attribute/'))
      model[field] = attributeOf(node, field.slice('attribute/'.length))
  }
  return model
}

function rectOf({ info: { bounds } }: TreeNode): Record<string, number> {
  return {
    x: bounds.left,
    y: bounds.top,
    width: bounds.right - bounds.left,
    height: bounds.bottom - bounds.top,
  }
}

/**
 * Returns the field that has the input focus.
 * @throws ServerError when no field has the input focus
 */
function focused(screen: Screen): TreeNode {
  const node = screen.tree().nodes.find(({ info }) => info.focused)
  if (node === undefined) throw noSuchElement()
  return node
}

/** @param given the client's text, for the error */
function setText(node: TreeNode, text: string, given: string): void {
  if (node.info.setText === null || !node.info.enabled)
    throw new ServerError(
      'invalid element state',
      `Cannot set the element to '${given}'. Did you interact with the correct element?`,
    )
  node.info.setText(text)
}

/**
 * Appends to the text, or replaces it; a slider accepts a number. A `\n` at the end, as two characters,
 * presses enter.
 */
function sendKeys(screen: Screen, node: TreeNode, call: Call): null {
  const given = needed(stringIn(call.body, 'text'), 'text')
  if (node.info.setProgress !== null) {
    const value = Number(given)
    if (given.trim() === '' || Number.isNaN(value))
      throw invalidArgument(`Cannot convert '${given}' to float`)
    node.info.setProgress(value)
    return null
  }
  const enter = given.endsWith('\\n')
  const text = enter ? given.slice(0, -2) : given
  const before = call.body['replace'] === true ? '' : currentText(node)
  setText(node, before + text, given)
  if (enter) {
    screen.android.world.key('down', enterKey, 0)
    screen.android.world.key('up', enterKey, 0)
  }
  return null
}

/**
 * Returns the field's shown text. The shown text of a password is dots, so that typing twice into the field replaces
 * the first text by dots, as on the server.
 */
const currentText = ({ info }: TreeNode): string => (info.empty ? '' : info.text)

export const elementCommands: Readonly<Record<string, Command>> = {
  'POST /session/:sessionId/element': async (screen, call) => {
    const [node] = await screen.find(locatorOf(call.body), true)
    if (node === undefined) throw noSuchElement()
    return elementModel(screen, node)
  },
  'POST /session/:sessionId/elements': async (screen, call) => {
    const nodes = await screen.find(locatorOf(call.body), false)
    return nodes.map((node) => elementModel(screen, node))
  },
  'GET /session/:sessionId/element/active': async (screen) => {
    await screen.search()
    const node = focused(screen)
    screen.session.remember(node.id)
    return elementModel(screen, node)
  },
  'POST /session/:sessionId/element/:id/click': async (screen, call) => {
    await screen.settle()
    await screen.click(nodeOf(screen, call))
    return null
  },
  'POST /session/:sessionId/element/:id/clear': (screen, call) => {
    const node = nodeOf(screen, call)
    // UiObject2.clear has no effect on a view without text input.
    if (node.info.enabled) node.info.setText?.('')
    return null
  },
  'POST /session/:sessionId/element/:id/value': (screen, call) =>
    sendKeys(screen, nodeOf(screen, call), call),
  'POST /session/:sessionId/keys': (screen, call) => sendKeys(screen, focused(screen), call),
  'GET /session/:sessionId/element/:id/text': (screen, call) => textOf(nodeOf(screen, call)),
  'GET /session/:sessionId/element/:id/name': (screen, call) => {
    const { description } = nodeOf(screen, call).info
    return description === '' ? null : description
  },
  'GET /session/:sessionId/element/:id/attribute/:name': (screen, call) =>
    attributeOf(nodeOf(screen, call), call.path['name'] ?? ''),
  'GET /session/:sessionId/element/:id/rect': (screen, call) => rectOf(nodeOf(screen, call)),
  'GET /session/:sessionId/element/:id/size': (screen, call) => {
    const { width, height } = rectOf(nodeOf(screen, call))
    return { width, height }
  },
  'GET /session/:sessionId/element/:id/location': (screen, call) => {
    const { x, y } = rectOf(nodeOf(screen, call))
    return { x, y }
  },
  'GET /session/:sessionId/element/:id/screenshot': (screen, call) =>
    screenshotOf(screen.android.world, nodeOf(screen, call).info.bounds),
  'GET /session/:sessionId/screenshot/:id': (screen, call) =>
    screenshotOf(screen.android.world, nodeOf(screen, call).info.bounds),
  'GET /session/:sessionId/appium/element/:id/first_visible': (screen, call) => {
    const [first] = nodeOf(screen, call).children
    if (first === undefined) throw noSuchElement()
    screen.session.remember(first.id)
    return elementModel(screen, first)
  },
}
