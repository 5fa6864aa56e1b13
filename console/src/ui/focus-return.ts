/**
 * Returns the focus to the element that opened a dialog. Radix does so only for dialogs with a trigger; menus and
 * states open the console's dialogs.
 */
import { useState } from 'react'

/** The element that had the focus last. For an item of a menu, which disappears, it is the menu's button. */
let last: HTMLElement | null = null

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return
  const menu = target.closest('[role=menu]')
  last = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : target
})

/** Returns the `onCloseAutoFocus` of a dialog. The component must be mounted when the dialog opens. */
export function useFocusReturn(): (event: Event) => void {
  const [opener] = useState(last)
  return (event) => {
    event.preventDefault()
    const target = opener?.isConnected === true ? opener : document.getElementById('main')
    target?.focus()
  }
}
