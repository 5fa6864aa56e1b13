/** Returns the focus to what opened a dialog. Radix does so only for dialogs with a trigger; menus and states open ours. */
import { useState } from 'react'

/** The element that had the focus last. Items of a menu disappear: theirs is the menu's button, which a click does not focus. */
let last: HTMLElement | null = null

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return
  const menu = target.closest('[role=menu]')
  last = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : target
})

/** For a component that is mounted when its dialog opens. Returns its `onCloseAutoFocus`. */
export function useFocusReturn(): (event: Event) => void {
  const [opener] = useState(last)
  return (event) => {
    event.preventDefault()
    const target = opener?.isConnected === true ? opener : document.getElementById('main')
    target?.focus()
  }
}
