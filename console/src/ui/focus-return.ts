/** Returns the focus to what opened a dialog. Menus and states open ours, so Radix does not know their trigger. */
import { useState } from 'react'

/** The last element with the focus. For items of a menu, which disappear, the button of the menu: a click does not focus it. */
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
