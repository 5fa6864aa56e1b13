/**
 * Draws the blocks of a bundled page. Accessibility sees them like a WebView's content: `android.view.View`
 * with texts and without resource IDs.
 */
import { button, label, outlined } from '../../toolkit/widgets.js'
import { type View } from '../../toolkit/view.js'
import { type Ui } from '../app.js'
import { type Block } from './sites.js'

const PLAIN = { className: 'android.view.View', width: 'fill' } as const

export function blockView(ui: Ui, url: string, block: Block, go: (target: string) => void): View {
  const t = ui.theme
  const open = (to: string) => (): void => {
    go(URL.canParse(to, url) ? new URL(to, url).href : to)
  }
  switch (block.kind) {
    case 'heading':
      return label(t, block.text, {
        ...PLAIN,
        margin: { top: 16, bottom: 8 },
        look: { size: 26, weight: 700 },
      })
    case 'text':
      return label(t, block.text, {
        className: 'android.widget.TextView',
        width: 'fill',
        margin: { bottom: 12 },
        look: { size: 16 },
      })
    case 'item':
      return label(t, `• ${block.text}`, { ...PLAIN, margin: { left: 12, bottom: 6 } })
    case 'link':
      return label(t, block.text, {
        className: 'android.view.View',
        padding: { top: 10, bottom: 10 },
        clickable: true,
        focusable: true,
        onClick: open(block.to),
        look: { size: 17, color: t.primary },
      })
    case 'field': {
      const field = ui.field(`web/${block.name}`)
      return outlined(
        t,
        field,
        { hint: block.hint, focused: ui.isFocused(field), onAction: () => ui.hideKeyboard() },
        { margin: { top: 8, bottom: 8 } },
      )
    }
    case 'submit':
      return button(t, block.text, open(block.to), { margin: { top: 12 } })
    case 'answer':
      return label(t, `${block.before} ${ui.field(`web/${block.name}`).text}`, {
        className: 'android.widget.TextView',
        width: 'fill',
        margin: { bottom: 8 },
      })
  }
}
