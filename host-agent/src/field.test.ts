/** Reads outputs of real phones (`testing/field-data.ts`). */
import { describe, expect, it } from 'vitest'
import { matchTarget } from './actions/target.js'
import { buildTree, type ScreenTree } from './screen/elements.js'
import { parseNodes } from './screen/nodes.js'
import { fieldData, hasFieldData } from './testing/field-data.js'

const treeOf = (name: string, width: number, height: number): ScreenTree =>
  buildTree(parseNodes(fieldData(name)), { width, height })

describe.skipIf(!hasFieldData)('a screen', () => {
  it.each([
    ['uia2-whatsapp-samsung-nnbsp.xml', 1080, 2340, '10:10 am'],
    ['uia2-floating-termux-gesture-indriver.xml', 1080, 2388, 'S/ 8'],
  ])('%s contains a text as a model types it', (name, width, height, text) => {
    const match = matchTarget({ text }, treeOf(name, width, height), () => null)
    expect(match.found || match.miss.code === 'ambiguous_target').toBe(true)
  })
})
