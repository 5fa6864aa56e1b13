/** Returns the focus to what opened a dialog. Menus and states open ours, so that Radix knows no trigger of them. */
import { useState } from 'react'

/** What had the focus last, except for items of a menu, which disappear. */
let last: HTMLElement | null = null

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest('[role=menu]') === null) last = target
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
