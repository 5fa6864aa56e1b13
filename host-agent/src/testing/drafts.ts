/** Random screens for property tests. */
import fc from 'fast-check'
import type { Draft } from './screen-xml.js'

const classes = [
  'android.view.View',
  'android.widget.TextView',
  'android.widget.Button',
  'android.widget.EditText',
  'android.widget.LinearLayout',
  'android.widget.Switch',
  'android.widget.ListView',
  'androidx.recyclerview.widget.RecyclerView',
  'android.webkit.WebView',
]
const flags = [
  'clickable',
  'long-clickable',
  'checkable',
  'checked',
  'focusable',
  'focused',
  'scrollable',
  'selected',
  'password',
]
/** Few distinct words, so that texts repeat. */
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: fc.constantFrom('Wi-Fi', 'wi-fi', 'On', 'Off', 'OK', 'Cancel', 'Wi-Fi settings') },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
)
const edge = fc.integer({ min: -200, max: 2600 })

const attributesOf = {
  class: fc.constantFrom(...classes),
  text: words,
  desc: words,
  id: fc.constantFrom('', '', 'android:id/title', 'com.example.app:id/row', 'login'),
  bounds: fc.oneof(
    { weight: 8, arbitrary: fc.tuple(edge, edge, edge, edge) },
    { weight: 8, arbitrary: fc.constant([0, 0, 1080, 2400] as [number, number, number, number]) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  flags: fc.subarray(flags, { maxLength: 3 }),
}

const draftOf = (depth: number): fc.Arbitrary<Draft> =>
  depth === 0
    ? fc.record(attributesOf)
    : fc.record({ ...attributesOf, children: fc.array(draftOf(depth - 1), { maxLength: 3 }) })

/** Returns any tree, valid or not: inverted bounds, children outside their parents, passwords in buttons. */
const anyDraft = draftOf(4)

export const anyScreen = fc.array(anyDraft, { minLength: 1, maxLength: 3 })
