import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTree } from '../../testing/ui-tree.js'
import { hierarchyXml } from './hierarchy.js'
import { layoutTree } from './layout.js'
import { LIGHT } from './theme.js'
import { column, editText, label } from './widgets.js'

const bounds = { left: 0, top: 0, right: 1080, bottom: 2400 }
const scale = { density: 2.625, fontScale: 1 }

function dump(text: string): string {
  const root = column({ height: 'fill' }, [
    label(LIGHT, text, { id: 'a:id/b', description: text, width: 'fill', minHeight: 20 }),
  ])
  layoutTree(root, bounds, scale)
  return hierarchyXml(root, 'a', 0)
}

describe('hierarchy dump', () => {
  it("writes a node as Android 14's uiautomator does", () => {
    expect(dump('Hi')).toContain(
      '<node index="0" text="Hi" resource-id="a:id/b" class="android.widget.TextView" package="a" content-desc="Hi" ' +
        'checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" ' +
        'long-clickable="false" password="false" selected="false" bounds="[0,0][1080,56]" />',
    )
  })

  it('preserves any XML text, and replaces characters that XML forbids by dots', () => {
    const valid = fc
      .string({ unit: 'binary' })
      .filter((text) => !/\p{Cc}|\p{Cs}|[\ufdd0-\ufddf\ufffe\uffff]/u.test(text))
    fc.assert(
      fc.property(valid, (text) => {
        expect(parseTree(dump(text))[1]?.attributes['text']).toBe(text)
      }),
    )
    expect(parseTree(dump('a\u0001b\ud800c\n\td"<&>'))[1]?.attributes['text']).toBe('a.b.c\n\td"<&>')
  })

  it('shows dots for a password, and an empty field by its hint', () => {
    const state = { text: 'sé👋', anchor: 0, head: 0 }
    const field = editText(LIGHT, state, { hint: 'Password', focused: true, password: true })
    layoutTree(field, bounds, scale)
    expect(parseTree(hierarchyXml(field, 'a', 0))[0]?.attributes).toMatchObject({
      text: '••••',
      password: 'true',
      focused: 'true',
    })
    const empty = editText(
      LIGHT,
      { text: '', anchor: 0, head: 0 },
      { hint: 'Password', focused: false, password: true },
    )
    layoutTree(empty, bounds, scale)
    expect(parseTree(hierarchyXml(empty, 'a', 0))[0]?.attributes['text']).toBe('Password')
  })
})
